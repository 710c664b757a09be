import { defineEntity, p } from '@mikro-orm/core';

const FetchAttemptSchema = defineEntity({
  name: 'FetchAttemptEntity',
  tableName: 'fetch_attempt',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    sourceId: p.bigint('number'),
    at: p.datetime().defaultRaw('now()'),
    outcome: p.text(),
    status: p.smallint().strictNullable(),
    durationMs: p.integer().strictNullable(),
    bytes: p.integer().strictNullable(),
    newItems: p.integer().default(0),
    changedItems: p.integer().default(0),
    message: p.text().strictNullable(),
    decision: p.text(),
    dueAt: p.datetime(),
  },
});

export class FetchAttemptEntity extends FetchAttemptSchema.class {}

FetchAttemptSchema.setClass(FetchAttemptEntity);
