import { defineEntity, p } from '@mikro-orm/core';

const ExAppTaskSchema = defineEntity({
  name: 'ExAppTaskEntity',
  tableName: 'ex_app_task',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    appId: p.text(),
    kind: p.text(),
    providerName: p.text(),
    userId: p.text().strictNullable(),
    input: p.json().$type<unknown>(),
    note: p.json().$type<unknown>().defaultRaw("'{}'::jsonb"),
    state: p.text().defaultRaw("'running'::text"),
    result: p.text().strictNullable(),
    error: p.text().strictNullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    deadlineAt: p.datetime(),
    finishedAt: p.datetime().strictNullable(),
    startedAt: p.datetime().strictNullable(),
    progress: p.smallint().strictNullable(),
  },
});

export class ExAppTaskEntity extends ExAppTaskSchema.class {}

ExAppTaskSchema.setClass(ExAppTaskEntity);
