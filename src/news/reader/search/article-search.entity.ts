import { defineEntity, p } from '@mikro-orm/core';

const ArticleSearchSchema = defineEntity({
  name: 'ArticleSearchEntity',
  tableName: 'article_search',
  properties: {
    articleId: p.bigint('number').primary(),
    sourceId: p.bigint('number').primary(),
    tsv: p.text().columnType('tsvector'),
  },
});

/** The full-text index of an article. */
export class ArticleSearchEntity extends ArticleSearchSchema.class {}

ArticleSearchSchema.setClass(ArticleSearchEntity);
