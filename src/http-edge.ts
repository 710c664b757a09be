import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import type { Config } from './common/config/config.js';

/** Room for the flags of ten thousand items in one request, and for large settings forms. */
const BODY_LIMIT = '10mb';

/** What a hub may send along with its call. */
const WEBSUB_BODY_LIMIT = '5mb';

const PREFLIGHT_SECONDS = 1_728_000;

/**
 * What every request passes before it reaches a room, the same for the service and for the tests:
 * proxies, address, headers, cross-origin rules, body.
 */
export function applyHttpEdge(app: NestExpressApplication, config: Config): void {
  app.disable('x-powered-by');
  // Hashing an answer costs more than any known client saves by asking again.
  app.disable('etag');
  app.set('trust proxy', [...config.trustedProxies]);
  app.set('query parser', 'extended');
  app.use(plainPath(config.baseUrl));
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      strictTransportSecurity: config.baseUrl?.startsWith('https:') ?? false,
    }),
  );
  app.use('/apps/news/api', crossOrigin);
  // Signed byte by byte, whatever type it claims to be.
  app.use('/websub', express.raw({ limit: WEBSUB_BODY_LIMIT, type: () => true }));
  app.use(express.json({ limit: BODY_LIMIT, type: ['json', '+json'] }));
  app.use(express.urlencoded({ limit: BODY_LIMIT, extended: true, parameterLimit: 20_000 }));
}

/**
 * One form for the many addresses clients build: with or without `/index.php`, below the prefix of
 * a reverse proxy that passes it on, with slashes doubled where a base address ended in one.
 */
function plainPath(baseUrl: string | undefined) {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  return (request: Request, _response: Response, next: NextFunction): void => {
    const [path = '', ...query] = request.url.split('?');
    let plain = path.replace(/\/{2,}/g, '/');
    if (prefix !== '' && (plain === prefix || plain.startsWith(`${prefix}/`))) {
      plain = plain.slice(prefix.length);
    }
    plain = plain.replace(/^\/index\.php(?=\/|$)/, '');
    request.url = [plain === '' ? '/' : plain, ...query].join('?');
    next();
  };
}

/** Browser applications may call the feed reader API with credentials of their own, never cookies. */
function crossOrigin(request: Request, response: Response, next: NextFunction): void {
  const { origin } = request.headers;
  if (request.method === 'OPTIONS') {
    response
      .status(200)
      .set({
        'Access-Control-Allow-Origin': origin ?? '*',
        'Access-Control-Allow-Methods': 'PUT, POST, GET, DELETE, PATCH',
        'Access-Control-Allow-Headers': 'Authorization, Content-Type, Accept',
        'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
        'Access-Control-Allow-Credentials': 'false',
        Vary: 'Origin',
      })
      .end();
    return;
  }
  if (origin !== undefined) {
    response.set({
      'Access-Control-Allow-Origin': origin,
      // Answers are meant to be read from other origins.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      Vary: 'Origin',
    });
  }
  next();
}
