import { defineEntity, p } from '@mikro-orm/core';

const ArticleAssistanceSchema = defineEntity({
  name: 'ArticleAssistanceEntity',
  tableName: 'article_assistance',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    articleId: p.bigint('number'),
    kind: p.text(),
    languages: p.text(),
    fullText: p.boolean(),
    inputHash: p.blob(),
    state: p.text().defaultRaw("'running'::text"),
    result: p.json().$type<unknown>().strictNullable(),
    error: p.text().strictNullable(),
    userId: p.text().strictNullable(),
    startedAt: p.datetime().defaultRaw('now()'),
    finishedAt: p.datetime().strictNullable(),
  },
});

export class ArticleAssistanceEntity extends ArticleAssistanceSchema.class {}

ArticleAssistanceSchema.setClass(ArticleAssistanceEntity);
