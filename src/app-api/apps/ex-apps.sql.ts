import type { SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import type { ExAppStatus } from './app-state.js';
import { ExAppEntity } from './ex-app.entity.js';

const ROW = selectList(ExAppEntity, 'a', [
  'appId',
  'name',
  'version',
  'daemonName',
  'baseUrl',
  'secretSealed',
  'secretSeen',
  'enabled',
  'status',
  'isSystem',
]);

export type ExAppRow = RowOf<typeof ROW> & {
  /** Unix seconds of the latest successful connection check; null before the first. */
  readonly lastCheckSeconds: number | null;
  /** Unix seconds at which the app last asked for tasks, to within 30 seconds; null if never. */
  readonly tasksAskedSeconds: number | null;
  /** Null once it is no longer valid. */
  readonly previousSecretSealed: Buffer | null;
  /** Unix seconds; null without a valid previous secret. */
  readonly previousSecretUntilSeconds: number | null;
};

const SELECT = `select ${ROW}, extract(epoch from a.last_check_at)::bigint as "lastCheckSeconds",
         extract(epoch from a.tasks_asked_at)::bigint as "tasksAskedSeconds",
         case when a.previous_secret_until > now() then a.previous_secret_sealed end
           as "previousSecretSealed",
         case when a.previous_secret_until > now()
           then extract(epoch from a.previous_secret_until)::bigint end
           as "previousSecretUntilSeconds"
    from ex_app a`;

/** By primary key. Runs with every request of an app and every proxied request. */
export async function findExApp(runner: SqlRunner, appId: string): Promise<ExAppRow | undefined> {
  const [row] = await runner.query<ExAppRow>(`${SELECT} where a.app_id = $1`, [appId]);
  return row;
}

export async function listExApps(runner: SqlRunner): Promise<ExAppRow[]> {
  return runner.query<ExAppRow>(`${SELECT} order by a.app_id`);
}

export type NewExAppRow = Pick<
  ExAppEntity,
  'appId' | 'name' | 'version' | 'daemonName' | 'baseUrl' | 'secretSealed' | 'status' | 'isSystem'
>;

/** @returns false if the id is taken */
export async function insertExApp(runner: SqlRunner, app: NewExAppRow): Promise<boolean> {
  const rows = await runner.query(
    `insert into ex_app (app_id, name, version, daemon_name, base_url, secret_sealed, status, is_system)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (app_id) do nothing returning 1`,
    [
      app.appId,
      app.name,
      app.version,
      app.daemonName,
      app.baseUrl,
      app.secretSealed,
      JSON.stringify(app.status),
      app.isSystem,
    ],
  );
  return rows.length > 0;
}

/** Overwrites the given parts of the status. */
export async function mergeStatus(
  runner: SqlRunner,
  appId: string,
  change: Partial<ExAppStatus>,
): Promise<void> {
  await runner.query('update ex_app set status = status || $2::jsonb where app_id = $1', [
    appId,
    JSON.stringify(change),
  ]);
}

/**
 * Stores a new secret and keeps the one that the app's process has: the present one, or the one before
 * if the app has never shown the present one.
 *
 * @returns false if there is no such app
 */
export async function rotateSecret(
  runner: SqlRunner,
  appId: string,
  secretSealed: Buffer,
  graceSeconds: number,
): Promise<boolean> {
  const rows = await runner.query(
    `update ex_app set secret_sealed = $2, secret_seen = false,
            previous_secret_sealed = case
              when not secret_seen and previous_secret_until > now() then previous_secret_sealed
              else secret_sealed end,
            previous_secret_until = now() + make_interval(secs => $3)
      where app_id = $1 returning 1`,
    [appId, secretSealed, graceSeconds],
  );
  return rows.length > 0;
}

/** Deletes previous secrets that are no longer valid. */
export async function removeExpiredSecrets(runner: SqlRunner): Promise<void> {
  await runner.query(
    `update ex_app set previous_secret_sealed = null, previous_secret_until = null
      where previous_secret_until <= now()`,
  );
}

/** Records a successful connection check. */
export async function touchLastCheck(runner: SqlRunner, appId: string): Promise<void> {
  await runner.query('update ex_app set last_check_at = now() where app_id = $1', [appId]);
}

/** Records that an app has asked for tasks. */
export async function touchTasksAsked(runner: SqlRunner, appId: string): Promise<void> {
  await runner.query('update ex_app set tasks_asked_at = now() where app_id = $1', [appId]);
}
