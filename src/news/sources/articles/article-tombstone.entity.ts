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
    /** Null where it is the lookup key. */
    guid: p.text().strictNullable(),
    buriedAt: p.datetime().defaultRaw('now()'),
  },
});

/** What identifies a removed article, so that it is not new when it is listed again. */
export class ArticleTombstoneEntity extends ArticleTombstoneSchema.class {}

ArticleTombstoneSchema.setClass(ArticleTombstoneEntity);
