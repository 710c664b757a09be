import type { NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import express, { type NextFunction, type Request, type Response } from 'express';
import { PAGES_FOLDER } from './page-build.js';

/** Files whose names stay the same, beside those in `assets` whose names hold their fingerprint. */
const STEADY_FILES = ['/icon.svg', '/icon-192.png', '/icon-512.png', '/sw.js'];

/** Serves the built files of the pages: anybody's, they hold no secret. */
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
      // A worker lives by the policy of its own script: it fetches the files that it keeps.
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
