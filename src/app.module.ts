import { Module, type DynamicModule } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { APP_API_ENTITIES } from './app-api/app-api.entities.js';
import { API_DOCUMENTS } from './api-documents.js';
import { AppApiModule } from './app-api/app-api.module.js';
import { CHAT_ENTITIES } from './platform/chat/chat.entities.js';
import { ChatModule } from './platform/chat/chat.module.js';
import { AuthModule } from './common/auth/auth.module.js';
import type { Config } from './common/config/config.js';
import { ContractsModule } from './common/contracts/contracts.module.js';
import { ConfigModule } from './common/config/config.module.js';
import { HealthModule } from './common/health/health.module.js';
import { OutgoingHttpModule } from './common/http/outgoing-http.module.js';
import { loggerOptions } from './common/logging/logger-options.js';
import { ServiceLogger } from './common/logging/service-logger.js';
import { DatabaseModule, type DatabaseUse } from './database/database.module.js';
import { EDGE_RULES } from './edge-rules.js';
import { FILES_ENTITIES } from './platform/files/files.entities.js';
import { FilesModule } from './platform/files/files.module.js';
import { GoogleReaderModule } from './news/google-reader/google-reader.module.js';
import { NEWS_ENTITIES } from './news/news.entities.js';
import { FeverModule } from './news/fever/fever.module.js';
import { NewsModule } from './news/news.module.js';
import { PagesModule } from './platform/pages/pages.module.js';
import { PLATFORM_ENTITIES } from './platform/platform.entities.js';
import { PlatformModule } from './platform/platform.module.js';

/** One entity for every table; the migrations hold what entities cannot say: indexes, checks, keys. */
export const ENTITIES = [
  ...PLATFORM_ENTITIES,
  ...NEWS_ENTITIES,
  ...FILES_ENTITIES,
  ...APP_API_ENTITIES,
  ...CHAT_ENTITIES,
];

/** The application, with all rooms. */
@Module({})
export class AppModule {
  static with(config: Config, database: DatabaseUse = 'migrated'): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config, EDGE_RULES),
        LoggerModule.forRoot(loggerOptions(config)),
        DatabaseModule.withEntities(ENTITIES, database),
        OutgoingHttpModule,
        AuthModule,
        HealthModule,
        ContractsModule.with(API_DOCUMENTS),
        PlatformModule,
        NewsModule,
        GoogleReaderModule,
        FeverModule,
        FilesModule,
        AppApiModule,
        ChatModule,
        PagesModule,
      ],
      providers: [ServiceLogger],
    };
  }
}
