import { Module, type DynamicModule } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { AppApiModule } from './app-api/app-api.module.js';
import { ChatModule } from './chat/chat.module.js';
import { AuthModule } from './common/auth/auth.module.js';
import type { Config } from './common/config/config.js';
import { ConfigModule } from './common/config/config.module.js';
import { HealthModule } from './common/health/health.module.js';
import { OutgoingHttpModule } from './common/http/outgoing-http.module.js';
import { loggerOptions } from './common/logging/logger-options.js';
import { ServiceLogger } from './common/logging/service-logger.js';
import { DatabaseModule } from './database/database.module.js';
import { FilesModule } from './files/files.module.js';
import { NewsModule } from './news/news.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PLATFORM_ENTITIES, PlatformModule } from './platform/platform.module.js';

/** The whole installation: the one place that knows every room. */
@Module({})
export class AppModule {
  static with(config: Config): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        LoggerModule.forRoot(loggerOptions(config)),
        DatabaseModule.withEntities(PLATFORM_ENTITIES),
        OutgoingHttpModule,
        AuthModule,
        HealthModule,
        PlatformModule,
        NewsModule,
        FilesModule,
        AppApiModule,
        ChatModule,
        PagesModule,
      ],
      providers: [ServiceLogger],
    };
  }
}
