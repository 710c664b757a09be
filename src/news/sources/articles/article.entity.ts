import { defineEntity, p } from '@mikro-orm/core';

const ArticleSchema = defineEntity({
  name: 'ArticleEntity',
  tableName: 'article',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    sourceId: p.bigint('number'),
    guid: p.text(),
    guidHash: p.blob(),
    fingerprint: p.blob(),
    contentHash: p.blob(),
    firstRev: p.bigint('number'),
    rev: p.bigint('number'),
    title: p.text().strictNullable(),
    author: p.text().strictNullable(),
    url: p.text().strictNullable(),
    pubDateSeconds: p.bigint('number'),
    updatedDateSeconds: p.bigint('number').strictNullable(),
    enclosureMime: p.text().strictNullable(),
    enclosureLink: p.text().strictNullable(),
    mediaThumbnail: p.text().strictNullable(),
    mediaDescription: p.text().strictNullable(),
    rtl: p.boolean(),
    fetchedAt: p.datetime().defaultRaw('now()'),
    fullTextRev: p.bigint('number').strictNullable(),
    keyHash: p.blob().strictNullable(),
    evidence: p.blob().strictNullable(),
    unlistedRev: p.bigint('number').default(0),
  },
});

export class ArticleEntity extends ArticleSchema.class {}

ArticleSchema.setClass(ArticleEntity);
