import { entityOf, p } from '../../../database/entity-of.js';

/** A user who made a choice; the row is the lock on the budget. */
export class AutomaticReaderEntity extends entityOf('automatic_reader', {
  readerId: p.bigint('number').primary(),
  /** Whether any choice is switched on. */
  isOn: p.boolean(),
  /** Items up to these ids have been looked at. */
  titlesDoneId: p.bigint('number').defaultRaw("'0'::bigint"),
  summariesDoneId: p.bigint('number').defaultRaw("'0'::bigint"),
  day: p.date().defaultRaw('CURRENT_DATE'),
  /** Tasks that were started on `day`. */
  used: p.integer().defaultRaw('0'),
}) {}
