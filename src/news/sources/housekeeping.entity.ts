import { entityOf, p } from '../../database/entity-of.js';

/** When a task that all processes share was last done. */
export class HousekeepingEntity extends entityOf('housekeeping', {
  task: p.text().primary(),
  doneAt: p.datetime(),
  note: p.text().strictNullable(),
}) {}
