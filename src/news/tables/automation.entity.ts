import { entityOf, p } from '../../database/entity-of.js';

/** A user who made a choice; the row is the lock on the budget. */
export class AutomaticReaderEntity extends entityOf('automatic_reader', {
  readerId: p.bigint('number').primary(),
  /** Whether any choice is switched on. */
  isOn: p.boolean(),
  /** Highest examined item ids. */
  titlesDoneId: p.bigint('number').defaultRaw("'0'::bigint"),
  summariesDoneId: p.bigint('number').defaultRaw("'0'::bigint"),
  day: p.date().defaultRaw('CURRENT_DATE'),
  /** Tasks that were started on `day`. */
  used: p.integer().defaultRaw('0'),
}) {}

/** Automatic tasks for new items of a feed or a folder. */
export class AutomaticChoiceEntity extends entityOf('automatic_choice', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  /** The feed that is chosen for; null if `folderId` is set. */
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

/** Failures in a row of one kind of task; after a few it pauses. */
export class AutomaticPauseEntity extends entityOf('automatic_pause', {
  kind: p.text().primary(),
  failures: p.integer(),
  pausedUntil: p.datetime(),
}) {}
