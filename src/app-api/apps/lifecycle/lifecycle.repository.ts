import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { insertRoutes, type ExAppRoute } from '../../proxy/ex-app-routes.repository.js';
import type { ExAppStatus } from '../ex-apps.repository.js';

/** Words of the version that an app is being updated to. */
export interface NewVersion {
  readonly name: string;
  readonly version: string;
  /** Undefined leaves the address as it is. */
  readonly baseUrl: string | undefined;
  readonly routes: readonly ExAppRoute[];
}

export interface ForgottenApp {
  readonly appId: string;
  /** Where to go on. */
  readonly step: 'install' | 'enable';
}

/** Parts of the status of an app for which something failed. */
const FAILED = `jsonb_build_object('action', '', 'type', case
  when status->>'type' in ('install', 'update') then status->>'type' || ' failed'
  else status->>'type' end)`;

/**
 * What moves an app from one state to the next. Each statement decides by itself whether the move is
 * still possible, so that several processes may try at the same time.
 */
@Injectable()
export class LifecycleRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes an app for work that nobody else may do on it meanwhile. A column with an end rather than
   * a database lock: the work waits for the app for minutes, and a connection held as long for each
   * app would leave none for the requests that the app makes meanwhile.
   *
   * @param force takes it away from whoever has it
   * @returns null when it is taken now, or what it is busy with, or that there is no such app
   */
  async takeLease(
    appId: string,
    { token, purpose, seconds, force }: LeaseRequest,
  ): Promise<{ readonly busyWith: string } | 'gone' | null> {
    const taken = await this.database.query(
      `update ex_app
          set busy_token = $2, busy_with = $3, busy_until = clock_timestamp() + make_interval(secs => $4)
        where app_id = $1 and ($5 or busy_until is null or busy_until < clock_timestamp())
        returning 1`,
      [appId, token, purpose, seconds, force],
    );
    if (taken.length > 0) {
      return null;
    }
    const [row] = await this.database.query<{ busyWith: string | null }>(
      'select busy_with as "busyWith" from ex_app where app_id = $1',
      [appId],
    );
    return row === undefined ? 'gone' : { busyWith: row.busyWith ?? '' };
  }

  /** @returns false when somebody else has it by now */
  async renewLease(appId: string, token: string, seconds: number): Promise<boolean> {
    const rows = await this.database.query(
      `update ex_app set busy_until = clock_timestamp() + make_interval(secs => $3)
        where app_id = $1 and busy_token = $2 returning 1`,
      [appId, token, seconds],
    );
    return rows.length > 0;
  }

  async releaseLease(appId: string, token: string): Promise<void> {
    await this.database.query(
      `update ex_app set busy_token = null, busy_with = null, busy_until = null
        where app_id = $1 and busy_token = $2`,
      [appId, token],
    );
  }

  /** From here on the app may report progress, from 0 again. */
  async beginInitialisation(appId: string): Promise<void> {
    const change: Partial<ExAppStatus> = { init: 0, action: 'init', error: '' };
    await this.database.query(
      `update ex_app
          set status = status || $2::jsonb
                     || jsonb_build_object('init_start_time', extract(epoch from now())::bigint)
        where app_id = $1`,
      [appId, JSON.stringify(change)],
    );
  }

  /**
   * Notes how far the app has come. Once it has arrived, only a new beginning counts; once its
   * installation has failed or was stopped, nothing does.
   *
   * @returns `arrived` for the one report that completes the initialisation
   */
  async noteProgress(appId: string, progress: number): Promise<'noted' | 'arrived' | 'ignored'> {
    if (progress === 0) {
      await this.beginInitialisation(appId);
      return 'noted';
    }
    const change: Partial<ExAppStatus> = {
      init: progress,
      error: '',
      action: progress === 100 ? '' : 'init',
    };
    const rows = await this.database.query(
      `update ex_app set status = status || $2::jsonb
        where app_id = $1 and coalesce((status->>'init')::int, 0) < 100
          and (enabled or status->>'type' in ('install', 'update')) returning 1`,
      [appId, JSON.stringify(change)],
    );
    if (rows.length === 0) {
      return 'ignored';
    }
    return progress === 100 ? 'arrived' : 'noted';
  }

  /** Name, version, address and routes together, so that no mixture is ever seen. */
  async applyVersion(appId: string, to: NewVersion): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(
        `update ex_app set name = $2, version = $3, base_url = coalesce($4, base_url)
          where app_id = $1`,
        [appId, to.name, to.version, to.baseUrl ?? null],
      );
      await tx.query('delete from ex_app_route where app_id = $1', [appId]);
      await insertRoutes(tx, appId, to.routes);
    });
  }

  /**
   * Ends what is being done with an app as failed. Does nothing when it was stopped meanwhile.
   *
   * @returns whether it did
   */
  async fail(appId: string, error: string): Promise<boolean> {
    const rows = await this.database.query(
      `update ex_app set status = status || jsonb_build_object('error', $2::text) || ${FAILED}
        where app_id = $1
          and (status->>'action' <> '' or status->>'type' in ('install', 'update')) returning 1`,
      [appId, error],
    );
    return rows.length > 0;
  }

  /**
   * Takes back an installation, an update or an enabling that goes on or failed. Whoever works on it
   * notices at the next step.
   *
   * @returns whether there was one
   */
  async stop(appId: string): Promise<boolean> {
    const stopped: Partial<ExAppStatus> = { type: '', action: '', error: '', heartbeat_error: '' };
    const rows = await this.database.query(
      `update ex_app set status = status || $2::jsonb
        where app_id = $1 and not enabled
          and (status->>'action' <> '' or status->>'type' <> '') returning 1`,
      [appId, JSON.stringify(stopped)],
    );
    return rows.length > 0;
  }

  /**
   * Initialisations that take longer than the app may. An error that the app reported itself stays
   * the reason.
   */
  async failOverdueInitialisations(): Promise<{ appId: string; error: string }[]> {
    return this.database.query<{ appId: string; error: string }>(
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

  /** Apps on their way that nobody is working on any more: the process went away in the middle. */
  async findForgotten(): Promise<ForgottenApp[]> {
    return this.database.query<ForgottenApp>(
      `select app_id as "appId",
              case when coalesce((status->>'init')::int, 0) = 100 then 'enable' else 'install' end as step
         from ex_app
        where coalesce(status->>'error', '') = ''
          and (busy_until is null or busy_until < clock_timestamp())
          and created_at < now() - interval '1 minute'
          and ((status->>'action' in ('deploy', 'healthcheck'))
               or (not enabled and (status->>'init')::int = 100
                   and status->>'type' in ('install', 'update')))`,
    );
  }

  /** Takes all enabled apps whose last check began longer ago; each goes to one process only. */
  async claimChecks(olderThanSeconds: number): Promise<string[]> {
    const rows = await this.database.query<{ appId: string }>(
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

  async setInitTimeout(appId: string, minutes: number): Promise<void> {
    await this.database.query('update ex_app set init_timeout_minutes = $2 where app_id = $1', [
      appId,
      minutes,
    ]);
  }

  async initTimeoutMinutes(appId: string): Promise<number> {
    const [row] = await this.database.query<{ minutes: number }>(
      'select init_timeout_minutes as minutes from ex_app where app_id = $1',
      [appId],
    );
    return row?.minutes ?? 0;
  }

  /**
   * Takes everything the app announced along, and what it kept unless told otherwise: values are
   * found again when the app is registered anew.
   */
  async remove(appId: string, keepData: boolean): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('delete from ex_app where app_id = $1', [appId]);
      if (!keepData) {
        await tx.query('delete from ex_app_value where app_id = $1', [appId]);
      }
    });
  }
}

export interface LeaseRequest {
  readonly token: string;
  /** A word for people who have to wait: `enabling`. */
  readonly purpose: string;
  readonly seconds: number;
  readonly force: boolean;
}
