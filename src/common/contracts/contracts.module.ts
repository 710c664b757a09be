import { Global, Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ApiDocuments } from './api-document.js';
import { OpenApiDocuments } from './open-api-documents.service.js';

/** Makes the API documents; `src/api-documents.ts` says what is in which. */
@Global()
@Module({})
export class ContractsModule {
  static with(documents: ApiDocuments): DynamicModule {
    return {
      module: ContractsModule,
      imports: [DiscoveryModule],
      providers: [OpenApiDocuments, { provide: ApiDocuments, useValue: documents }],
      exports: [OpenApiDocuments],
    };
  }
}
