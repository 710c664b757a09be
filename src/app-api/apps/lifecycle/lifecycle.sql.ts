import type { SqlRunner } from '../../../database/database.js';
import type { ExAppStatus } from '../app-state.js';

/*
 * State transitions of external apps. Each statement checks by itself whether the transition is still
 * possible, so that several processes may attempt it at the same time.
 */

export interface LeaseRequest {
  readonly token: string;
  /** For the error message of others who want the lease: `being enabled`. */
  readonly purpose: string;
  readonly seconds: number;
  /** Takes the lease away from its holder. */
  readonly force: boolean;
}

/**
 * A column with an expiry instead of a database lock: the work waits for the app for minutes, and
 * holding a connection per app that long would leave none for the requests the app makes meanwhile.
 *
 * @returns false if somebody else holds the lease, or there is no such app
 */
export async function takeLease(
  runner: SqlRunner,
  appId: string,
  { token, purpose, seconds, force }: LeaseRequest,
): Promise<boolean> {
  const taken = await runner.query(
    `update ex_app
        set busy_token = $2, busy_with = $3, busy_until = clock_timestamp() + make_interval(secs => $4)
      where app_id = $1 and ($5 or busy_until is null or busy_until < clock_timestamp())
      returning 1`,
    [appId, token, purpose, seconds, force],
  );
  return taken.length > 0;
}

/** @returns false if somebody else holds the lease by now */
export async function renewLease(
  runner: SqlRunner,
  appId: string,
  token: string,
  seconds: number,
): Promise<boolean> {
  const rows = await runner.query(
    `update ex_app set busy_until = clock_timestamp() + make_interval(secs => $3)
      where app_id = $1 and busy_token = $2 returning 1`,
    [appId, token, seconds],
  );
  return rows.length > 0;
}

/** Resets the progress to 0 and starts the clock of the time limit. */
export async function beginInitialisation(runner: SqlRunner, appId: string): Promise<void> {
  const change: Partial<ExAppStatus> = { init: 0, action: 'init', error: '' };
  await runner.query(
    `update ex_app
        set status = status || $2::jsonb
                   || jsonb_build_object('init_start_time', extract(epoch from now())::bigint)
      where app_id = $1`,
    [appId, JSON.stringify(change)],
  );
}

/**
 * Does nothing after 100 per cent, or once the installation has failed or was stopped.
 *
 * @returns whether the progress was recorded
 */
export async function recordProgress(
  runner: SqlRunner,
  appId: string,
  progress: number,
): Promise<boolean> {
  const change: Partial<ExAppStatus> = {
    init: progress,
    error: '',
    action: progress === 100 ? '' : 'init',
  };
  const rows = await runner.query(
    `update ex_app set status = status || $2::jsonb
      where app_id = $1 and coalesce((status->>'init')::int, 0) < 100
        and (enabled or status->>'type' in ('install', 'update')) returning 1`,
    [appId, JSON.stringify(change)],
  );
  return rows.length > 0;
}

/** The status of an app after a failed step. */
const FAILED = `jsonb_build_object('action', '', 'type', case
  when status->>'type' in ('install', 'update') then status->>'type' || ' failed'
  else status->>'type' end)`;

/**
 * Ends the current step of an app as failed, unless it was stopped in the meantime.
 *
 * @returns whether it did
 */
export async function failStep(runner: SqlRunner, appId: string, error: string): Promise<boolean> {
  const rows = await runner.query(
    `update ex_app set status = status || jsonb_build_object('error', $2::text) || ${FAILED}
      where app_id = $1
        and (status->>'action' <> '' or status->>'type' in ('install', 'update')) returning 1`,
    [appId, error],
  );
  return rows.length > 0;
}

/**
 * Stops the installation, update or enabling of a disabled app, or resets a failed one. Running work
 * notices it before its next step.
 *
 * @returns whether there was one
 */
export async function stopStep(runner: SqlRunner, appId: string): Promise<boolean> {
  const stopped: Partial<ExAppStatus> = { type: '', action: '', error: '', heartbeat_error: '' };
  const rows = await runner.query(
    `update ex_app set status = status || $2::jsonb
      where app_id = $1 and not enabled
        and (status->>'action' <> '' or status->>'type' <> '') returning 1`,
    [appId, JSON.stringify(stopped)],
  );
  return rows.length > 0;
}

/** Fails initialisations beyond their time limit. An error that the app reported is kept. */
export async function failOverdueInitialisations(
  runner: SqlRunner,
): Promise<{ readonly appId: string; readonly error: string }[]> {
  return runner.query(
    `update ex_app
        set status = status || jsonb_build_object('error',
              coalesce(nullif(status->>'error', ''), format(
                'The initialization timed out: the app has not reported 100 %% within %s min.',
                init_timeout_minutes))) || ${FAILED}
      where status->>'action' = 'init' and (status->>'init')::int < 100
        and to_timestamp((status->>'init_start_time')::bigint)
            < now() - make_interval(mins => init_timeout_minutes)
      returning app_id as "appId", status->>'error' as error`,
  );
}

/** An app whose installation or enabling was interrupted by the end of a process. */
export interface AbandonedApp {
  readonly appId: string;
  readonly nextStep: 'install' | 'enable';
}

export async function listAbandoned(runner: SqlRunner): Promise<AbandonedApp[]> {
  return runner.query<AbandonedApp>(
    `select app_id as "appId",
            case when coalesce((status->>'init')::int, 0) = 100 then 'enable' else 'install'
            end as "nextStep"
       from ex_app
      where coalesce(status->>'error', '') = ''
        and (busy_until is null or busy_until < clock_timestamp())
        and created_at < now() - interval '1 minute'
        and ((status->>'action' in ('deploy', 'healthcheck'))
             or (not enabled and (status->>'init')::int = 100
                 and status->>'type' in ('install', 'update')))`,
  );
}

/** Claims the enabled apps that are due for a connection check; each goes to one process only. */
export async function claimChecks(runner: SqlRunner, olderThanSeconds: number): Promise<string[]> {
  const rows = await runner.query<{ appId: string }>(
    `with due as (
       select app_id from ex_app
        where enabled and (check_began_at is null
                           or check_began_at <= clock_timestamp() - make_interval(secs => $1))
        for update skip locked
     )
     update ex_app set check_began_at = clock_timestamp() from due
      where ex_app.app_id = due.app_id returning ex_app.app_id as "appId"`,
    [olderThanSeconds],
  );
  return rows.map(({ appId }) => appId);
}
