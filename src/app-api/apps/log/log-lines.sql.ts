import type { SqlRunner } from '../../../database/database.js';
import type { ExAppLogLineEntity } from './ex-app-log-line.entity.js';

export type NewLogLine = Readonly<
  Pick<ExAppLogLineEntity, 'appId' | 'level' | 'source' | 'message'>
>;

/**
 * Inserts a line and deletes the oldest lines beyond the limit, by the index on app and id. Does
 * nothing for an app that is not registered.
 *
 * @param most lines of an app that are kept, this one included
 */
export async function addLine(
  runner: SqlRunner,
  { appId, level, source, message }: NewLogLine,
  most: number,
): Promise<void> {
  await runner.query(
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
 * Whether the app is registered and the host has not recently logged a line about it with this
 * prefix, nor since an administrator changed the app, which is noted at level 1.
 */
export async function isNewLine(
  runner: SqlRunner,
  appId: string,
  prefix: string,
  withinMinutes: number,
): Promise<boolean> {
  const [row] = await runner.query<{ isNew: boolean }>(
    `select not exists (select from ex_app_log_line l
                         where l.app_id = a.app_id and source = 'host' and starts_with(message, $2)
                           and logged_at > now() - make_interval(mins => $3)
                           and id > (select coalesce(max(id), 0) from ex_app_log_line n
                                      where n.app_id = a.app_id and source = 'host' and level = 1)
                        ) as "isNew"
       from ex_app a where app_id = $1`,
    [appId, prefix, withinMinutes],
  );
  return row?.isNew ?? false;
}
