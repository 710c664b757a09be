import { entityOf, p } from '../../../database/entity-of.js';

/** The page of an article whose full text somebody wants. */
export class FullTextPageEntity extends entityOf('full_text_page', {
  articleId: p.bigint('number').primary(),
  sourceId: p.bigint('number'),
  url: p.text(),
  hostKey: p.text(),
  /** Null when it is done or given up. */
  dueAt: p.datetime().strictNullable(),
  failures: p.integer().default(0),
  askedAt: p.datetime().strictNullable(),
  leaseToken: p.uuid().strictNullable(),
}) {}
