import { defineEntity, p } from '@mikro-orm/core';

const SourceDocumentSchema = defineEntity({
  name: 'SourceDocumentEntity',
  tableName: 'source_document',
  properties: {
    sourceId: p.bigint('number').primary(),
    bodyHash: p.blob(),
    articleIds: p.array().columnType('bigint[]').$type<number[]>(),
    listedAt: p.datetime().defaultRaw('now()'),
  },
});

export class SourceDocumentEntity extends SourceDocumentSchema.class {}

SourceDocumentSchema.setClass(SourceDocumentEntity);
