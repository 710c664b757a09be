import { entityOf, p } from '../../database/entity-of.js';

/** A source that was deleted, until its articles are; written by a trigger. */
export class RemovedSourceEntity extends entityOf('removed_source', {
  sourceId: p.bigint('number').primary(),
}) {}
