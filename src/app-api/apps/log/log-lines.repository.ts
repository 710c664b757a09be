import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';

/** 0 debug, 1 info, 2 warning, 3 error, 4 fatal. */
export type LogLevel = 0 | 1 | 2 | 3 | 4;

export interface NewLogLine {
  readonly appId: string;
  readonly level: LogLevel;
  /** Who says it: the app, or the host about the app. */
  readonly source: 'app' | 'host';
  readonly message: string;
}

export interface LogLine extends NewLogLine {
  readonly id: number;
  /** Unix milliseconds. */
  readonly loggedMillis: number;
}

const LINES = `
  select id::int8 as id, app_id as "appId", level, source, message,
         floor(extract(epoch from logged_at) * 1000)::bigint as "loggedMillis"
    from ex_app_log_line`;

/** The latest lines of each app. */
@Injectable()
export class LogLinesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Does nothing for an app that is not registered.
   *
   * @param most how many lines of an app stay, this one included
   */
  async add({ appId, level, source, message }: NewLogLine, most: number): Promise<void> {
    await this.database.query(
      `with pruned as (
         delete from ex_app_log_line
          where app_id = $1
            and id <= (select id from ex_app_log_line where app_id = $1
                        order by id desc offset $5 limit 1)
       )
       insert into ex_app_log_line (app_id, level, source, message)
       select app_id, $2, $3, $4 from ex_app where app_id = $1`,
      [appId, level, source, message, most - 1],
    );
  }

  /**
   * The same, unless the host wrote a line with this beginning a short time ago.
   *
   * @returns whether it was added
   */
  async addUnlessRepeated(
    line: NewLogLine,
    beginning: string,
    withinMinutes: number,
    most: number,
  ): Promise<boolean> {
    const [found] = await this.database.query<{ isNew: boolean }>(
      `select not exists (select from ex_app_log_line l
                           where l.app_id = a.app_id and source = 'host' and starts_with(message, $2)
                             and logged_at > now() - make_interval(mins => $3)) as "isNew"
         from ex_app a where app_id = $1`,
      [line.appId, beginning, withinMinutes],
    );
    const isNew = found?.isNew ?? false;
    if (isNew) {
      await this.add(line, most);
    }
    return isNew;
  }

  /** The host's lines of this level or above, oldest first. */
  async ofHostAfter(appId: string, id: number, level: LogLevel): Promise<LogLine[]> {
    return this.database.query<LogLine>(
      `${LINES} where app_id = $1 and source = 'host' and id > $2 and level >= $3 order by id`,
      [appId, id, level],
    );
  }

  /** Newest first. */
  async recent(appId: string, limit: number): Promise<LogLine[]> {
    return this.database.query<LogLine>(`${LINES} where app_id = $1 order by id desc limit $2`, [
      appId,
      limit,
    ]);
  }
}
