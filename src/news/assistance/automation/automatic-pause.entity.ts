import { defineEntity, p } from '@mikro-orm/core';

const AutomaticPauseSchema = defineEntity({
  name: 'AutomaticPauseEntity',
  tableName: 'automatic_pause',
  properties: {
    kind: p.text().primary(),
    failures: p.integer(),
    pausedUntil: p.datetime(),
  },
});

/** Failures in a row of one kind of task; after a few it pauses. */
export class AutomaticPauseEntity extends AutomaticPauseSchema.class {}

AutomaticPauseSchema.setClass(AutomaticPauseEntity);
