import { entityOf, p } from '../../../database/entity-of.js';

/** What is done with new items of a feed or a folder. */
export class AutomaticChoiceEntity extends entityOf('automatic_choice', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  /** Of a feed; else `folderId` is set. */
  subscriptionId: p.bigint('number').strictNullable(),
  folderId: p.bigint('number').strictNullable(),
  /** The language that titles are translated to; empty: they are not; null: as the folder. */
  titlesTo: p.text().strictNullable(),
  /** Null: as the folder. */
  summarise: p.boolean().strictNullable(),
  /** Items with lower ids were there when it was switched on. */
  titlesFromId: p.bigint('number').defaultRaw("'0'::bigint"),
  summariesFromId: p.bigint('number').defaultRaw("'0'::bigint"),
}) {}
