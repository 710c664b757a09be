import { defineEntity, p } from '@mikro-orm/core';

const ExAppSchema = defineEntity({
  name: 'ExAppEntity',
  tableName: 'ex_app',
  properties: {
    appId: p.text().primary(),
    name: p.text(),
    version: p.text(),
    daemonName: p.text().strictNullable(),
    baseUrl: p.text(),
    secretSealed: p.blob(),
    enabled: p.boolean().default(false),
    status: p.json().$type<unknown>().defaultRaw("'{}'::jsonb"),
    isSystem: p.boolean().default(false),
    lastCheckAt: p.datetime().strictNullable(),
    checkBeganAt: p.datetime().strictNullable(),
    initTimeoutMinutes: p.integer().default(40),
    busyToken: p.uuid().strictNullable(),
    busyWith: p.text().strictNullable(),
    busyUntil: p.datetime().strictNullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export class ExAppEntity extends ExAppSchema.class {}

ExAppSchema.setClass(ExAppEntity);
