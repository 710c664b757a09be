import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { Gauge, Histogram } from 'prom-client';
import type { Metrics } from './metrics.js';

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Everything else is one label, so that senders cannot make series. */
const METHODS = new Set(
  'GET HEAD POST PUT PATCH DELETE OPTIONS PROPFIND PROPPATCH REPORT SEARCH MKCOL MOVE COPY LOCK UNLOCK'.split(
    ' ',
  ),
);

/** Counts and times requests by the pattern of their route. Has to come before all other middleware. */
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
  app.use((request: Request, response: Response, next: NextFunction) => {
    const begunAt = performance.now();
    open.inc();
    response.once('close', () => {
      open.dec();
      const method = METHODS.has(request.method) ? request.method : 'other';
      // A client that left did not see the status.
      const status = response.headersSent ? `${Math.floor(response.statusCode / 100)}xx` : 'cut';
      times.observe(
        { method, route: routeOf(request), status },
        (performance.now() - begunAt) / 1000,
      );
    });
    next();
  });
}

/** The pattern, never the path, which has ids and names. */
function routeOf(request: Request): string {
  const route = request.route as { readonly path: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'none';
}
