import { defineEntity, p } from '@mikro-orm/core';

/** 0 debug, 1 info, 2 warning, 3 error, 4 fatal. */
export type LogLevel = 0 | 1 | 2 | 3 | 4;

const ExAppLogLineSchema = defineEntity({
  name: 'ExAppLogLineEntity',
  tableName: 'ex_app_log_line',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    appId: p.text(),
    loggedAt: p.datetime().defaultRaw('clock_timestamp()'),
    level: p.smallint().$type<LogLevel>(),
    /** `host` for messages of the host about the app. */
    source: p.text().$type<'app' | 'host'>(),
    message: p.text(),
  },
});

/** One of the latest log lines of an app. */
export class ExAppLogLineEntity extends ExAppLogLineSchema.class {}

ExAppLogLineSchema.setClass(ExAppLogLineEntity);
