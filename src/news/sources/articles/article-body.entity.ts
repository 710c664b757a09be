import { entityOf, p } from '../../../database/entity-of.js';

/** The HTML of an article, sanitised: as the feed has it, and as extracted from its page. */
export class ArticleBodyEntity extends entityOf('article_body', {
  articleId: p.bigint('number').primary(),
  sourceId: p.bigint('number').primary(),
  html: p.text(),
  fullTextHtml: p.text().strictNullable(),
}) {}
