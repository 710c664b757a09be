import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ApiDocumentsOffer } from './api-document.js';
import { OpenApiDocuments } from './open-api-documents.service.js';

/** Builds the API documents; `src/api-documents.ts` lists their contents. */
@Module({
  imports: [DiscoveryModule],
  providers: [ApiDocumentsOffer, OpenApiDocuments],
  exports: [ApiDocumentsOffer, OpenApiDocuments],
})
export class ContractsModule {}
