import { entityOf, p } from '../../../database/entity-of.js';

/** 0 debug, 1 info, 2 warning, 3 error, 4 fatal. */
export type LogLevel = 0 | 1 | 2 | 3 | 4;

/** One of the latest log lines of an app. */
export class ExAppLogLineEntity extends entityOf('ex_app_log_line', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  appId: p.text(),
  loggedAt: p.datetime().defaultRaw('clock_timestamp()'),
  level: p.smallint().$type<LogLevel>(),
  /** `host` for messages of the host about the app. */
  source: p.text().$type<'app' | 'host'>(),
  message: p.text(),
}) {}
