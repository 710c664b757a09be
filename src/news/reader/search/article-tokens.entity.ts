import { entityOf, p } from '../../../database/entity-of.js';

/** The words of an article by which it is found. */
export class ArticleTokensEntity extends entityOf('article_tokens', {
  articleId: p.bigint('number').primary(),
  sourceId: p.bigint('number').primary(),
  tokens: p.text().columnType('tsvector'),
  /** Whether every reader sees all of these words: there is one text, and nothing is cut. */
  isExact: p.boolean(),
}) {}

/** The index of the version before, which its processes read and write beside this one. */
export class ArticleSearchEntity extends entityOf('article_search', {
  articleId: p.bigint('number').primary(),
  sourceId: p.bigint('number').primary(),
  tsv: p.text().columnType('tsvector'),
}) {}
