import { entityOf, p } from '../../../database/entity-of.js';

/** What identifies a removed article, so that it is not new when it is listed again. */
export class ArticleTombstoneEntity extends entityOf('article_tombstone', {
  sourceId: p.bigint('number').primary(),
  guidHash: p.blob().primary(),
  firstRev: p.bigint('number'),
  keyHash: p.blob().strictNullable(),
  evidence: p.blob().strictNullable(),
  unlistedRev: p.bigint('number').default(0),
  /** Null where it is the lookup key. */
  guid: p.text().strictNullable(),
  buriedAt: p.datetime().defaultRaw('now()'),
}) {}
