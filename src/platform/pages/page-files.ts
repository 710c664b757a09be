import type { NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import express, { type NextFunction, type Request, type Response } from 'express';
import { PAGES_FOLDER } from './page-build.service.js';

/** Files with fixed names; the names in `assets` contain fingerprints. */
const STEADY_FILES = ['/icon.svg', '/icon-192.png', '/icon-512.png', '/sw.js'];

/** Serves the built files, without authentication. */
export function servePageFiles(app: NestExpressApplication): void {
  app.use(
    '/assets',
    compression(),
    express.static(`${PAGES_FOLDER}/assets`, {
      cacheControl: false,
      setHeaders: (response) =>
        response.setHeader('Cache-Control', 'public, max-age=31536000, immutable'),
      index: false,
      redirect: false,
    }),
  );
  const steady = express.static(PAGES_FOLDER, {
    cacheControl: false,
    index: false,
    redirect: false,
    setHeaders: (response) => {
      response.setHeader('Cache-Control', 'public, max-age=3600');
      // The CSP of a service worker comes from its script; it must be able to fetch the files that
      // it caches.
      response.setHeader('Content-Security-Policy', "default-src 'none'; connect-src 'self'");
    },
  });
  for (const file of STEADY_FILES) {
    app.use(file, (request: Request, response: Response, next: NextFunction) => {
      request.url = file;
      steady(request, response, next);
    });
  }
}
