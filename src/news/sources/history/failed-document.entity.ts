import { defineEntity, p } from '@mikro-orm/core';

const FailedDocumentSchema = defineEntity({
  name: 'FailedDocumentEntity',
  tableName: 'failed_document',
  properties: {
    sourceId: p.bigint('number').primary(),
    at: p.datetime().defaultRaw('now()'),
    message: p.text(),
    contentType: p.text().strictNullable(),
    byteCount: p.integer(),
    gzipped: p.blob(),
  },
});

export class FailedDocumentEntity extends FailedDocumentSchema.class {}

FailedDocumentSchema.setClass(FailedDocumentEntity);
