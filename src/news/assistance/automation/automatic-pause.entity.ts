import { entityOf, p } from '../../../database/entity-of.js';

/** Failures in a row of one kind of task; after a few it pauses. */
export class AutomaticPauseEntity extends entityOf('automatic_pause', {
  kind: p.text().primary(),
  failures: p.integer(),
  pausedUntil: p.datetime(),
}) {}
