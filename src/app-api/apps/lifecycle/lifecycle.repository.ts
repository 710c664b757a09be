import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { ExAppStatus } from '../app-state.js';
import { ExAppEntity } from '../ex-app.entity.js';
import type { ExAppManifest } from '../manifest/ex-app-manifest.js';
import { replaceRoutes } from '../routes/ex-app-routes.repository.js';

interface LeaseRequest {
  readonly token: string;
  /** Shown in the error message to other callers that want the lease: `being enabled`. */
  readonly purpose: string;
  readonly seconds: number;
  /** Takes the lease away from its holder. */
  readonly force: boolean;
}

/** The status of an app after a failed step. */
const FAILED = `jsonb_build_object('action', '', 'type', case
  when status->>'type' in ('install', 'update') then status->>'type' || ' failed'
  else status->>'type' end)`;

/** An app whose installation or enabling was interrupted by the end of a process. */
interface AbandonedApp {
  readonly appId: string;
  readonly nextStep: 'install' | 'enable';
}

/** Without `baseUrl`, the app keeps its address. */
type NewVersion = Pick<ExAppManifest, 'name' | 'version' | 'baseUrl' | 'routes'>;

/**
 * Moves apps from one state to the next. Each statement checks by itself whether the transition is still
 * possible, so that several processes may attempt it at the same time.
 */
@Injectable()
export class LifecycleRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes the exclusive right to change the state of an app: a column with an expiry instead of a database
   * lock, since the work waits for the app for minutes, and holding a connection per app that long would
   * leave none for the app's own requests.
   *
   * @returns null if it was taken; otherwise what the holder does, or `gone` if there is no such app
   */
  async takeLease(
    appId: string,
    { token, purpose, seconds, force }: LeaseRequest,
  ): Promise<{ readonly busyWith: string } | 'gone' | null> {
    const taken = await this.database.query(
      `update ex_app
          set busy_token = $2, busy_with = $3,
              busy_until = clock_timestamp() + make_interval(secs => $4)
        where app_id = $1 and ($5 or busy_until is null or busy_until < clock_timestamp())
        returning 1`,
      [appId, token, purpose, seconds, force],
    );
    if (taken.length > 0) {
      return null;
    }
    const app = await this.database.entities((em) =>
      em.findOne(ExAppEntity, { appId }, { fields: ['busyWith'] }),
    );
    return app === null ? 'gone' : { busyWith: app.busyWith ?? '' };
  }

  /** @returns false if another caller holds the lease by now */
  async renewLease(appId: string, token: string, seconds: number): Promise<boolean> {
    const rows = await this.database.query(
      `update ex_app set busy_until = clock_timestamp() + make_interval(secs => $3)
        where app_id = $1 and busy_token = $2 returning 1`,
      [appId, token, seconds],
    );
    return rows.length > 0;
  }

  async releaseLease(appId: string, token: string): Promise<void> {
    const free = { busyToken: null, busyWith: null, busyUntil: null };
    await this.database.entities((em) =>
      em.nativeUpdate(ExAppEntity, { appId, busyToken: token }, free),
    );
  }

  /** Resets the progress to 0 and starts the clock of the time limit. */
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
   * Records the progress of an initialisation, in per cent; 0 starts it again. Ignored after 100 per
   * cent, or once the installation has failed or was stopped.
   *
   * @returns whether this report completed the initialisation
   */
  async recordProgress(appId: string, progress: number): Promise<boolean> {
    if (progress === 0) {
      await this.beginInitialisation(appId);
      return false;
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
    return rows.length > 0 && progress === 100;
  }

  /** Changes name, version, address and routes in one transaction. */
  async applyVersion(appId: string, { routes, baseUrl, ...named }: NewVersion): Promise<void> {
    await this.database.transaction(async (tx) => {
      const change = { ...named, ...(baseUrl !== undefined && { baseUrl }) };
      await tx.em.nativeUpdate(ExAppEntity, { appId }, change);
      await replaceRoutes(tx, appId, routes);
    });
  }

  /** Ends the current step as failed. @returns false if it was stopped in the meantime */
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
   * Stops the installation, update or enabling of a disabled app, or resets a failed one. Running work
   * notices it before its next step.
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

  /** Fails initialisations beyond their time limit. An error that the app reported is kept. */
  async failOverdueInitialisations(): Promise<
    { readonly appId: string; readonly error: string }[]
  > {
    return this.database.query(
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

  /** Apps whose installation or enabling was interrupted by the end of a process. */
  async abandoned(): Promise<AbandonedApp[]> {
    return this.database.query<AbandonedApp>(
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

  /** Deletes an app and its registrations. */
  async remove(appId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ExAppEntity, { appId }));
  }
}
