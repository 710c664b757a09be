import { entityOf, p } from '../../../database/entity-of.js';

/** The full-text index of an article. */
export class ArticleSearchEntity extends entityOf('article_search', {
  articleId: p.bigint('number').primary(),
  sourceId: p.bigint('number').primary(),
  tsv: p.text().columnType('tsvector'),
}) {}
