import { BadRequestException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { AppsOrigin } from './common/config/apps-origin.js';
import type { Config } from './common/config/config.js';
import { EdgeRules } from './common/config/edge-rules.js';
import { bodyTimeLimit } from './common/http/body-time-limit.js';
import { compressAnswers } from './common/http/compress-answers.js';
import { limitConnections } from './common/http/connection-limits.js';
import { countAnswers } from './common/http/count-answers.js';
import { parseQuery } from './common/http/form-fields.js';
import { InputBodies, provideInputBodies } from './common/http/input-bodies.js';
import { OpenRequests } from './common/http/open-requests.js';
import { plainAddress } from './common/http/plain-address.js';
import { assertRight } from './common/http/request-right.js';
import { faultOfTarget, originForm } from './common/http/request-target.js';
import { senderOf } from './common/http/sender.js';
import { endSlowTransfers } from './common/http/slow-transfers.js';
import { StrangerTurns } from './common/http/stranger-turns.js';
import { Metrics } from './common/metrics/metrics.js';
import { measureRequests } from './common/metrics/request-metrics.js';
import { forSenderOf } from './common/texts/visitor-language.js';
import { limitedAs } from './database/statement-limits.js';
import { TrustedHeaderSettings } from './platform/sign-in/trusted-header/trusted-header.settings.js';

/** Limit of the server, for all senders; anonymous ones have a shorter one. */
const KNOWN_BODY_SECONDS = 300;

/** About 110 bytes a second: a fifth of the slowest mobile lines. */
const SLOWEST = { everySeconds: 600, leastBytes: 64 * 1024 };

/** Express's compiled `trust proxy` setting. */
type TrustProxy = (address: string, hop: number) => boolean;

const PREFLIGHT_SECONDS = 1_728_000;

/**
 * Middleware before all rooms, for service and tests: proxies, address, headers, CORS. Does not
 * read bodies, see `InputBodies`.
 */
export function applyHttpEdge(app: NestExpressApplication, config: Config): void {
  const rules = app.get(EdgeRules);
  app.disable('x-powered-by');
  // No ETags: hashing each response costs more than clients save.
  app.disable('etag');
  app.set('trust proxy', [...config.trustedProxies]);
  app.set('query parser', (query: string | null | undefined) => parseQuery(query ?? ''));
  measureRequests(app, app.get(Metrics));
  const bodies = new InputBodies(config, rules);
  provideInputBodies(app, bodies);
  app.use((request: Request, response: Response, next: NextFunction) => {
    // Responses are private by default.
    response.setHeader('Cache-Control', 'no-store');
    request.url = unambiguous(request, rules, config.baseUrl);
    forSenderOf(request, () =>
      limitedAs(
        'request',
        next,
        () => senderOf(request).key,
        () => assertRight(request),
      ),
    );
  });
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      // With the stricter default, browsers send forms without an origin, which would count as
      // cross-site.
      referrerPolicy: { policy: 'same-origin' },
      strictTransportSecurity: hstsOf(config.baseUrl),
    }),
  );
  app.use(
    bodyTimeLimit({ anonymous: config.anonymousBodySeconds, known: KNOWN_BODY_SECONDS }, rules),
  );
  const strangers = app.get(StrangerTurns);
  app.getHttpServer().on('connection', () => strangers.connectionArrived());
  app.use(app.get(OpenRequests).begin);
  app.use(countAnswers(bodies));
  const appsOrigin = new AppsOrigin(config);
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (!appsOrigin.serves(request)) {
      next();
      return;
    }
    if (!rules.isOnAppsOrigin(request.path)) {
      response.status(404).json({ message: 'Only pages of external apps are at this address.' });
      return;
    }
    confineToApps(request, config);
    // The content security policy of each page says which frames may show it.
    response.removeHeader('X-Frame-Options');
    next();
  });
  const compress = compressAnswers();
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (!rules.isCrossOrigin(request.path)) {
      next();
      return;
    }
    crossOrigin(request, response, () => compress(request, response, next));
  });
  // Bodies have limits of their own.
  app.getHttpServer().requestTimeout = 0;
  endSlowTransfers(app.getHttpServer(), SLOWEST);
  const isTrusted = app.getHttpAdapter().getInstance().get('trust proxy fn') as TrustProxy;
  limitConnections(app.getHttpServer(), {
    most: config.connections,
    mostOfNetwork: config.connectionsPerAddress,
    isProxy: (address) => isTrusted(address, 0),
  });
}

/** Below a path, the host is of others too: nothing is promised for its subdomains. */
function hstsOf(baseUrl = ''): { readonly includeSubDomains: boolean } | false {
  const address = URL.parse(baseUrl);
  return address?.protocol === 'https:' && { includeSubDomains: address.pathname === '/' };
}

/**
 * Normalised path and query.
 *
 * @throws BadRequestException for addresses that the service and proxies could read differently
 */
function unambiguous(
  { url, headers, headersDistinct }: Request,
  rules: EdgeRules,
  baseUrl: string | undefined,
): string {
  if ((headersDistinct['host']?.length ?? 0) > 1) {
    throw new BadRequestException('The request has several Host headers.');
  }
  const target = originForm(url, headers.host);
  if (target === null) {
    throw new BadRequestException('The address of the request names another host.');
  }
  const plain = plainAddress(target, baseUrl);
  const fault = faultOfTarget(plain, (path) => rules.isStrict(path));
  if (fault !== null) {
    throw new BadRequestException(`The address of the request ${fault}.`);
  }
  return plain;
}

/** On the origin of external apps nobody is logged in. */
function confineToApps(request: Request, config: Config): void {
  const { header } = config.of(TrustedHeaderSettings);
  if (header !== undefined) {
    delete request.headers[header];
  }
  // The same address as on our origin, for apps with a router of their own.
  request.url = request.url.replace(/^\/apps\/app_api\/embedded\//, '/apps/app_api/framed/');
}

/** Longer than any name of a host with scheme and port. */
const LONGEST_ORIGIN = 300;

/** What has the form of an origin; the answer repeats it. */
function echoedOrigin({ headers: { origin } }: Request): string | undefined {
  const isOrigin = origin === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[!-.0-~]+$/i.test(origin ?? '');
  return isOrigin && (origin ?? '').length <= LONGEST_ORIGIN ? origin : undefined;
}

/**
 * CORS: browser applications may call the feed reader API with explicit credentials, never with
 * cookies.
 */
function crossOrigin(request: Request, response: Response, next: NextFunction): void {
  const origin = echoedOrigin(request);
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
      // Responses may be read by other origins.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      Vary: 'Origin',
    });
  }
  next();
}
