import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LoggerModule } from 'nestjs-pino';
import { API_DOCUMENTS } from './api-documents.js';
import { CommonModule } from './common/common.module.js';
import { trustAuthorities } from './common/config/authorities.js';
import type { Config } from './common/config/config.js';
import { ConfigModule } from './common/config/config.module.js';
import { EdgeRules } from './common/config/edge-rules.js';
import type { PartName } from './common/config/parts.js';
import { ApiDocumentsOffer } from './common/contracts/api-document.js';
import { ContractsModule } from './common/contracts/contracts.module.js';
import { OutgoingHttpModule } from './common/http/outgoing-http.module.js';
import { loggerOptions } from './common/logging/logger-options.js';
import { ServiceLogger } from './common/logging/service-logger.js';
import { declaredBy } from './common/subjects/subject.js';
import type { DatabaseUse } from './database/connect.js';
import { DatabaseModule } from './database/database.module.js';
import { modulesOf } from './parts.js';
import { PlatformModule } from './platform/platform.module.js';

/** The application, with the parts that are on. */
@Module({})
export class AppModule {
  constructor(documents: ApiDocumentsOffer) {
    documents.fill(API_DOCUMENTS);
  }

  static async with(config: Config, database: DatabaseUse = 'migrated'): Promise<DynamicModule> {
    if (config.caFile !== undefined) {
      trustAuthorities(config.caFile);
    }
    const rooms = await roomsWith(config.parts);
    const { entities, edgeRules } = declaredBy(rooms);
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config, new EdgeRules(edgeRules)),
        LoggerModule.forRoot(loggerOptions(config)),
        DatabaseModule.withEntities(entities, database),
        OutgoingHttpModule,
        ScheduleModule.forRoot(),
        CommonModule,
        ContractsModule,
        ...rooms,
      ],
      providers: [ServiceLogger],
    };
  }
}

/** What a service with these parts consists of, besides what all rooms use. */
export async function roomsWith(parts: ReadonlySet<PartName>): Promise<Type[]> {
  return [PlatformModule, ...(await modulesOf(parts))];
}
