import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';

/** 0 debug, 1 info, 2 warning, 3 error, 4 fatal. */
export type LogLevel = 0 | 1 | 2 | 3 | 4;

export class ExAppLogLineEntity extends entityOf('ex_app_log_line', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  appId: p.text(),
  loggedAt: p.datetime().defaultRaw('clock_timestamp()'),
  level: p.smallint().$type<LogLevel>(),
  /** `host` for messages of the host about the app. */
  source: p.text().$type<'app' | 'host'>(),
  message: p.text(),
}) {}

export type NewLogLine = Readonly<
  Pick<ExAppLogLineEntity, 'appId' | 'level' | 'source' | 'message'>
>;

export interface LogLine extends NewLogLine {
  readonly id: number;
  /** Unix milliseconds. */
  readonly loggedMillis: number;
}

@Injectable()
export class LogLinesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts a line and deletes the oldest lines beyond the limit, by the index on app and id. Does
   * nothing for an app that is not registered.
   *
   * @param most lines of an app that are kept, this one included
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
   * As `add`, unless the host recently logged a line about the app with this prefix, and no administrator
   * has changed the app since, which is noted at level 1.
   *
   * @returns whether it was added
   */
  async addUnlessRepeated(
    line: NewLogLine,
    prefix: string,
    withinMinutes: number,
    most: number,
  ): Promise<boolean> {
    const [row] = await this.database.query<{ isNew: boolean }>(
      `select not exists (select from ex_app_log_line l
                           where l.app_id = a.app_id and source = 'host' and starts_with(message, $2)
                             and logged_at > now() - make_interval(mins => $3)
                             and id > (select coalesce(max(id), 0) from ex_app_log_line n
                                        where n.app_id = a.app_id and source = 'host' and level = 1)
                          ) as "isNew"
         from ex_app a where app_id = $1`,
      [line.appId, prefix, withinMinutes],
    );
    const isNew = row?.isNew ?? false;
    if (isNew) {
      await this.add(line, most);
    }
    return isNew;
  }

  /** The host's lines of this level or above, oldest first. */
  async ofHostAfter(appId: string, id: number, level: LogLevel): Promise<LogLine[]> {
    const lines = await this.database.entities((em) =>
      em.find(
        ExAppLogLineEntity,
        { appId, source: 'host', id: { $gt: id }, level: { $gte: level } },
        { orderBy: { id: 'asc' } },
      ),
    );
    return lines.map(toLogLine);
  }

  /** Newest first. */
  async recent(appId: string, limit: number): Promise<LogLine[]> {
    const lines = await this.database.entities((em) =>
      em.find(ExAppLogLineEntity, { appId }, { orderBy: { id: 'desc' }, limit }),
    );
    return lines.map(toLogLine);
  }
}

function toLogLine({ id, appId, level, source, message, loggedAt }: ExAppLogLineEntity): LogLine {
  return { id, appId, level, source, message, loggedMillis: loggedAt.getTime() };
}
