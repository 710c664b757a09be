import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Config } from './common/config/config.js';
import { ServiceLogger } from './common/logging/service-logger.js';
import { startLogger } from './common/logging/start-logger.js';
import { EdgeErrorFilter } from './common/ocs/edge-error.filter.js';
import { applyHttpEdge } from './http-edge.js';
import { servePageFiles } from './pages/page-files.js';
import { SecretKeyService } from './platform/secrets/secret-key.service.js';

/** The service, built and not yet listening. */
export async function createApp(config: Config): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), {
    bodyParser: false,
    logger: startLogger(config),
    // A start that fails is explained by whoever called, not by ending the process.
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
  app.useGlobalFilters(new EdgeErrorFilter());
  return app;
}
