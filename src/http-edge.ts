import type { NestExpressApplication } from '@nestjs/platform-express';
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import { CROSS_ORIGIN_API } from './common/auth/request-origin.js';
import type { Config } from './common/config/config.js';
import { bodyTimeLimit } from './common/http/body-time-limit.js';
import { compressAnswers } from './common/http/compress-answers.js';
import { jsonBody } from './common/http/json-body.js';
import { plainAddress } from './common/http/plain-address.js';
import { hasRawBody } from './common/http/raw-bodies.js';

/** Room for the flags of ten thousand items in one request, and for large settings forms. */
const BODY_LIMIT = '10mb';

/** What a hub may send along with its call. */
const WEBSUB_BODY_LIMIT = '5mb';

/** The server's own limit is for all paths alike; this one is for those that we read. */
const BODY_SECONDS = 300;

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
  app.use((request: Request, response: Response, next: NextFunction) => {
    request.url = plainAddress(request.url, config.baseUrl);
    // Answers are somebody's own unless their route says otherwise.
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      // Browsers send no origin with the forms of pages under the stricter default, and what comes
      // without our origin counts as another site's.
      referrerPolicy: { policy: 'same-origin' },
      strictTransportSecurity: config.baseUrl?.startsWith('https:') ?? false,
    }),
  );
  app.use(CROSS_ORIGIN_API, crossOrigin, compressAnswers());
  // Signed byte by byte, whatever type it claims to be.
  app.use('/websub', express.raw({ limit: WEBSUB_BODY_LIMIT, type: () => true }));
  app.getHttpServer().requestTimeout = 0;
  app.use(bodyTimeLimit(BODY_SECONDS));
  app.use(unlessRaw(jsonBody(BODY_LIMIT)));
  app.use(
    unlessRaw(express.urlencoded({ limit: BODY_LIMIT, extended: true, parameterLimit: 20_000 })),
  );
}

/** Bodies for external apps pass as they are. */
function unlessRaw(parse: RequestHandler): RequestHandler {
  return (request, response, next) =>
    hasRawBody(request.path) ? next() : parse(request, response, next);
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
