import { entityOf, p } from '../../database/entity-of.js';

/** The page of an article whose full text a user wants. */
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

/** A source whose full text a user wants, and the revision up to which its pages are planned. */
export class FullTextSourceEntity extends entityOf('full_text_source', {
  sourceId: p.bigint('number').primary(),
  plannedRev: p.bigint('number'),
}) {}
