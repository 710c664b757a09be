import type { NestExpressApplication } from '@nestjs/platform-express';
import { SpanStatusCode } from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import { Gauge, Histogram } from 'prom-client';
import { tracedRequest, type Span } from '../tracing/spans.js';
import type { Metrics } from './metrics.js';

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Other methods share one label, so that senders cannot create series. */
const METHODS = new Set(
  'GET HEAD POST PUT PATCH DELETE OPTIONS PROPFIND PROPPATCH REPORT SEARCH MKCOL MOVE COPY LOCK UNLOCK'.split(
    ' ',
  ),
);

/** Express's compiled `trust proxy` setting. */
type TrustProxy = (address: string, hop: number) => boolean;

/** Counts, times and traces requests by the pattern of their route. Has to come before all other middleware. */
export function measureRequests(app: NestExpressApplication, { registry }: Metrics): void {
  const times = new Histogram({
    name: 'gatefold_http_request_seconds',
    help: 'Time until a request was answered, by route and class of status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  const open = new Gauge({
    name: 'gatefold_http_requests_in_progress',
    help: 'Requests that are being answered, streams included.',
    registers: [registry],
  });
  const isTrusted = app.getHttpAdapter().getInstance().get('trust proxy fn') as TrustProxy;
  app.use((request: Request, response: Response, next: NextFunction) => {
    const begunAt = performance.now();
    // Counters listen for its end, and `pipeline` alone adds seven listeners.
    response.setMaxListeners(20);
    open.inc();
    response.once('close', () => {
      open.dec();
      const method = METHODS.has(request.method) ? request.method : 'other';
      // A client that left did not see the status.
      const status = response.headersSent ? `${Math.floor(response.statusCode / 100)}xx` : 'cut';
      const route = routeOf(request);
      times.observe({ method, route, status }, (performance.now() - begunAt) / 1000);
      endSpan(span, `${method} ${route}`, route, response);
    });
    const isFromProxy = isTrusted(request.socket.remoteAddress ?? '', 0);
    const span = tracedRequest(request.method, isFromProxy ? request.headers : undefined, next);
  });
}

function endSpan(
  span: Span | undefined,
  name: string,
  route: string,
  { statusCode, headersSent }: Response,
): void {
  span
    ?.updateName(name)
    .setAttributes({ 'http.route': route, 'http.response.status_code': statusCode })
    .setStatus({
      code: statusCode >= 500 || !headersSent ? SpanStatusCode.ERROR : SpanStatusCode.UNSET,
    })
    .end();
}

/** The pattern, never the path, which has ids and names. */
function routeOf(request: Request): string {
  const route = request.route as { readonly path: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'none';
}
