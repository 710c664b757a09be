import { entityOf, p } from '../../../database/entity-of.js';

/** A source that a feed had before its address was changed; the feed keeps the items from it. */
export class FormerSourceEntity extends entityOf('former_source', {
  readerId: p.bigint('number').primary(),
  subscriptionId: p.bigint('number').primary(),
  sourceId: p.bigint('number').primary(),
  /** The subscription's `deliveredRev` and `startedRev` when its address was changed. */
  deliveredRev: p.bigint('number'),
  startedRev: p.bigint('number').strictNullable(),
}) {}
