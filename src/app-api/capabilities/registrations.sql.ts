import type { SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import type { RegistrationKind, RegistrationSummary } from './capability.js';
import { ExAppRegistrationEntity } from './ex-app-registration.entity.js';

const ROW = selectList(ExAppRegistrationEntity, 'r', ['id', 'appId', 'key', 'fields']);

export type RegistrationRow = RowOf<typeof ROW>;

/** Inserts, or overwrites the fields and keeps the id. */
export async function saveRegistration(
  runner: SqlRunner,
  { appId, kind, key, fields }: Pick<ExAppRegistrationEntity, 'appId' | 'kind' | 'key' | 'fields'>,
): Promise<RegistrationRow | undefined> {
  const [row] = await runner.query<RegistrationRow>(
    `insert into ex_app_registration as r (app_id, kind, key, fields) values ($1, $2, $3, $4)
     on conflict (app_id, kind, key) do update set fields = excluded.fields
     returning ${ROW}`,
    [appId, kind, key, JSON.stringify(fields)],
  );
  return row;
}

/** Registrations of all enabled apps, oldest first. */
export async function listOfEnabledApps(
  runner: SqlRunner,
  kind: RegistrationKind,
): Promise<RegistrationRow[]> {
  return runner.query<RegistrationRow>(
    `select ${ROW} from ex_app_registration r join ex_app on ex_app.app_id = r.app_id
      where r.kind = $1 and ex_app.enabled order by r.id`,
    [kind],
  );
}

/** The same, with the apps last whose latest connection check failed. */
export async function listReachableAppsFirst(
  runner: SqlRunner,
  kind: RegistrationKind,
): Promise<RegistrationRow[]> {
  return runner.query<RegistrationRow>(
    `select ${ROW} from ex_app_registration r join ex_app on ex_app.app_id = r.app_id
      where r.kind = $1 and ex_app.enabled
      order by coalesce(ex_app.status->>'heartbeat_error', '') <> '', r.id`,
    [kind],
  );
}

/** All kinds of registrations of one app, oldest first. */
export async function summarizeRegistrations(
  runner: SqlRunner,
  appId: string,
): Promise<RegistrationSummary[]> {
  return runner.query<RegistrationSummary>(
    `select kind,
            coalesce(fields->>'path', fields->>'key', fields->>'name', fields->>'id', key) as name,
            coalesce(fields->>'displayName', fields->>'title', fields->>'description',
                     fields->'provider'->>'name', '')
              as "displayName"
       from ex_app_registration where app_id = $1 order by id`,
    [appId],
  );
}

/** The paths of one app that the gateway calls. Runs with every proxied request. */
export async function listHandlers(runner: SqlRunner, appId: string): Promise<string[]> {
  const rows = await runner.query<{ handler: string }>(
    `select handler from ex_app_registration r
      cross join lateral (values (fields->>'actionHandler'),
                                 (nullif(fields->>'actionDetectLang', '')),
                                 (fields->>'executeHandler'), (fields->>'route'),
                                 (case kind when 'task_processing' then 'trigger' end))
                         as h (handler)
      where app_id = $1 and handler is not null`,
    [appId],
  );
  return rows.map(({ handler }) => handler);
}

/** Scripts, styles and icons of one app that browsers fetch, without their queries. */
export async function listFilesForBrowsers(runner: SqlRunner, appId: string): Promise<string[]> {
  const rows = await runner.query<{ file: string }>(
    `select distinct split_part(file, '?', 1) as file from ex_app_registration
      cross join lateral (values (case kind when 'script' then fields->>'path' || '.js'
                                            when 'style' then fields->>'path' || '.css'
                                            else fields->>'icon' end)) as f (file)
      where app_id = $1 and kind in ('script', 'style', 'top_menu', 'file_action') and file <> ''
      order by 1`,
    [appId],
  );
  return rows.map(({ file }) => file);
}

/** Icons of an app's menu entries and file actions, which pages of ours show. */
export async function listIcons(runner: SqlRunner, appId: string): Promise<string[]> {
  const rows = await runner.query<{ file: string }>(
    `select distinct ltrim(split_part(fields->>'icon', '?', 1), '/') as file from ex_app_registration
      where app_id = $1 and kind in ('top_menu', 'file_action') and fields->>'icon' <> ''`,
    [appId],
  );
  return rows.map(({ file }) => file);
}

/**
 * Deletes a menu entry and the initial states, scripts and styles of its page.
 *
 * @param pageKeyPrefix prefix of their keys
 * @returns whether the entry existed
 */
export async function deleteTopMenu(
  runner: SqlRunner,
  appId: string,
  name: string,
  pageKeyPrefix: string,
): Promise<boolean> {
  const rows = await runner.query<{ kind: RegistrationKind }>(
    `delete from ex_app_registration
      where app_id = $1
        and (kind = 'top_menu' and key = $2
          or kind in ('initial_state', 'script', 'style') and starts_with(key, $3)
            and exists (select from ex_app_registration m
                         where m.app_id = $1 and m.kind = 'top_menu' and m.key = $2))
     returning kind`,
    [appId, name, pageKeyPrefix],
  );
  return rows.some(({ kind }) => kind === 'top_menu');
}
