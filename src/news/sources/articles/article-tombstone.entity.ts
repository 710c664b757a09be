import { defineEntity, p } from '@mikro-orm/core';

const ArticleTombstoneSchema = defineEntity({
  name: 'ArticleTombstoneEntity',
  tableName: 'article_tombstone',
  properties: {
    sourceId: p.bigint('number').primary(),
    guidHash: p.blob().primary(),
    firstRev: p.bigint('number'),
    keyHash: p.blob().strictNullable(),
    evidence: p.blob().strictNullable(),
    unlistedRev: p.bigint('number').default(0),
    guid: p.text().strictNullable(),
    buriedAt: p.datetime().defaultRaw('now()'),
  },
});

export class ArticleTombstoneEntity extends ArticleTombstoneSchema.class {}

ArticleTombstoneSchema.setClass(ArticleTombstoneEntity);
