import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Config } from './common/config/config.js';
import { PublicAddress } from './common/config/public-address.js';
import { ServiceLogger } from './common/logging/service-logger.js';
import { startLogger } from './common/logging/start-logger.js';
import { applyHttpEdge } from './http-edge.js';
import { SecretKeyService } from './platform/installation/secrets/secret-key.service.js';
import { BrowserErrorFilter } from './platform/pages/error-pages/browser-error.filter.js';
import { servePageFiles } from './platform/pages/page-files.js';

/** Creates the service; it does not listen yet. */
export async function createApp(config: Config): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), {
    bodyParser: false,
    logger: startLogger(config),
    // The caller reports a failed start, instead of Nest ending the process.
    abortOnError: false,
  });
  try {
    await app.get(SecretKeyService).assertKeyIsRight();
  } catch (error) {
    await app.close();
    throw error;
  }
  app.useLogger(app.get(ServiceLogger));
  applyHttpEdge(app, config);
  servePageFiles(app);
  app.useGlobalFilters(new BrowserErrorFilter(app.get(PublicAddress)));
  return app;
}
