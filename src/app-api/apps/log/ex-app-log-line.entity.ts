import { defineEntity, p } from '@mikro-orm/core';

const ExAppLogLineSchema = defineEntity({
  name: 'ExAppLogLineEntity',
  tableName: 'ex_app_log_line',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    appId: p.text(),
    loggedAt: p.datetime().defaultRaw('clock_timestamp()'),
    level: p.smallint(),
    source: p.text(),
    message: p.text(),
  },
});

export class ExAppLogLineEntity extends ExAppLogLineSchema.class {}

ExAppLogLineSchema.setClass(ExAppLogLineEntity);
