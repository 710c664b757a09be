import { defineEntity, p } from '@mikro-orm/core';

const ArticleBodySchema = defineEntity({
  name: 'ArticleBodyEntity',
  tableName: 'article_body',
  properties: {
    articleId: p.bigint('number').primary(),
    sourceId: p.bigint('number').primary(),
    html: p.text(),
    fullTextHtml: p.text().strictNullable(),
  },
});

/** The HTML of an article, sanitised: as the feed has it, and as extracted from its page. */
export class ArticleBodyEntity extends ArticleBodySchema.class {}

ArticleBodySchema.setClass(ArticleBodyEntity);
