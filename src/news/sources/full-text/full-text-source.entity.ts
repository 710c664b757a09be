import { entityOf, p } from '../../../database/entity-of.js';

/** A source whose full text somebody wants, and the revision up to which its pages are planned. */
export class FullTextSourceEntity extends entityOf('full_text_source', {
  sourceId: p.bigint('number').primary(),
  plannedRev: p.bigint('number'),
}) {}
