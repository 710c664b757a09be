import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ApiDocumentsOffer } from './api-document.js';
import { OpenApiDocuments } from './open-api-documents.service.js';

/** Makes the API documents; `src/api-documents.ts` says what is in which. */
@Module({
  imports: [DiscoveryModule],
  providers: [ApiDocumentsOffer, OpenApiDocuments],
  exports: [ApiDocumentsOffer, OpenApiDocuments],
})
export class ContractsModule {}
