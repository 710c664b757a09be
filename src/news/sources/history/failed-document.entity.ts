import { defineEntity, p } from '@mikro-orm/core';

const FailedDocumentSchema = defineEntity({
  name: 'FailedDocumentEntity',
  tableName: 'failed_document',
  properties: {
    sourceId: p.bigint('number').primary(),
    at: p.datetime().defaultRaw('now()'),
    message: p.text(),
    contentType: p.text().strictNullable(),
    /** Of the whole document. */
    byteCount: p.integer(),
    gzipped: p.blob(),
  },
});

/** The last document of a source that could not be read, truncated and compressed. */
export class FailedDocumentEntity extends FailedDocumentSchema.class {}

FailedDocumentSchema.setClass(FailedDocumentEntity);
