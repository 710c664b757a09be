import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { Database } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import type { ExAppStatus } from './app-state.js';
import { ExAppEntity } from './ex-app.entity.js';
import { type ExAppRoute, replaceRoutes } from './routes/ex-app-routes.repository.js';

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

type ExAppRow = RowOf<typeof ROW> & {
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

/** A registered external app. Contains its secret, so it is never sent anywhere as a whole. */
export interface ExApp extends Omit<ExAppRow, 'secretSealed' | 'previousSecretSealed'> {
  readonly secret: string;
  /** The one before the last rotation, while it is valid. */
  readonly previousSecret: string | null;
}

type NewExApp = Pick<
  ExApp,
  'appId' | 'name' | 'version' | 'daemonName' | 'baseUrl' | 'secret' | 'status' | 'isSystem'
>;

interface NewExAppSettings {
  readonly routes?: readonly ExAppRoute[];
  /** Undefined for the default of 40. */
  readonly initTimeoutMinutes?: number | undefined;
}

/** External apps. Encrypts and decrypts their secrets. */
@Injectable()
export class ExAppsRepository {
  #onChange: () => void = () => {};

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /** @param listener called after this process has enabled or disabled an app */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Reads by primary key. Runs with every request of an app and every proxied request. */
  async find(appId: string): Promise<ExApp | null> {
    const [row] = await this.database.query<ExAppRow>(`${SELECT} where a.app_id = $1`, [appId]);
    return row === undefined ? null : this.#open(row);
  }

  /** Sorted by id. */
  async list(): Promise<ExApp[]> {
    const rows = await this.database.query<ExAppRow>(`${SELECT} order by a.app_id`);
    return rows.map((row) => this.#open(row));
  }

  /** Of all apps, or of those that are enabled. */
  async ids(which: { readonly enabled?: true } = {}): Promise<string[]> {
    const apps = await this.database.entities((em) =>
      em.find(ExAppEntity, which, { fields: ['appId'], orderBy: { appId: 'asc' } }),
    );
    return apps.map(({ appId }) => appId);
  }

  /** @returns false if the id is taken */
  async create(
    { secret, ...app }: NewExApp,
    { routes = [], initTimeoutMinutes }: NewExAppSettings = {},
  ): Promise<boolean> {
    const { appId } = app;
    const secretSealed = this.secrets.seal(secret, sealedFor(appId));
    return this.database.transaction(async (tx) => {
      const inserted = await tx.query(
        `insert into ex_app (app_id, name, version, daemon_name, base_url, secret_sealed, status, is_system)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (app_id) do nothing returning 1`,
        [
          appId,
          app.name,
          app.version,
          app.daemonName,
          app.baseUrl,
          secretSealed,
          JSON.stringify(app.status),
          app.isSystem,
        ],
      );
      if (inserted.length === 0) {
        return false;
      }
      await replaceRoutes(tx, appId, routes);
      if (initTimeoutMinutes !== undefined) {
        await tx.em.nativeUpdate(ExAppEntity, { appId }, { initTimeoutMinutes });
      }
      return true;
    });
  }

  /** Apps whose secret was encrypted with another key. */
  async idsWithLostSecret(): Promise<string[]> {
    const apps = await this.database.entities((em) =>
      em.find(ExAppEntity, {}, { fields: ['appId', 'secretSealed'], orderBy: { appId: 'asc' } }),
    );
    return apps
      .filter(({ appId, secretSealed }) => !this.secrets.opens(secretSealed, sealedFor(appId)))
      .map(({ appId }) => appId);
  }

  /** @returns false if there is no such app */
  async setSecret(appId: string, secret: string): Promise<boolean> {
    const secretSealed = this.secrets.seal(secret, sealedFor(appId));
    const nothing = { previousSecretSealed: null, previousSecretUntil: null, secretSeen: true };
    return (await this.#update({ appId }, { secretSealed, ...nothing })) > 0;
  }

  /**
   * Like `setSecret`, but the secret of the app's process stays valid for some time: the present one, or
   * the one before if the app has never shown the present one.
   *
   * @returns false if there is no such app
   */
  async rotateSecret(appId: string, secret: string, graceSeconds: number): Promise<boolean> {
    const secretSealed = this.secrets.seal(secret, sealedFor(appId));
    const rows = await this.database.query(
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

  /** Records that an app has shown that it has the present secret. */
  async noteSecretSeen(appId: string): Promise<void> {
    await this.#update({ appId }, { secretSeen: true });
  }

  /** Deletes previous secrets that are no longer valid. */
  async removeExpiredSecrets(): Promise<void> {
    await this.database.query(
      `update ex_app set previous_secret_sealed = null, previous_secret_until = null
        where previous_secret_until <= now()`,
    );
  }

  async setEnabled(appId: string, enabled: boolean): Promise<void> {
    await this.#update({ appId }, { enabled });
    this.#onChange();
  }

  /** Does nothing if the version has changed in the meantime. */
  async raiseVersion(appId: string, from: string, to: string): Promise<void> {
    await this.#update({ appId, version: from }, { version: to });
  }

  async initTimeoutMinutes(appId: string): Promise<number> {
    const app = await this.database.entities((em) =>
      em.findOne(ExAppEntity, { appId }, { fields: ['initTimeoutMinutes'] }),
    );
    return app?.initTimeoutMinutes ?? 0;
  }

  /** Overwrites the given parts of the status. */
  async changeStatus(appId: string, change: Partial<ExAppStatus>): Promise<void> {
    await this.database.query('update ex_app set status = status || $2::jsonb where app_id = $1', [
      appId,
      JSON.stringify(change),
    ]);
  }

  /** Records a successful connection check. */
  async noteCheck(appId: string): Promise<void> {
    await this.database.query('update ex_app set last_check_at = now() where app_id = $1', [appId]);
  }

  async noteTasksAsked(appId: string): Promise<void> {
    await this.database.query('update ex_app set tasks_asked_at = now() where app_id = $1', [
      appId,
    ]);
  }

  #update(
    where: Partial<Pick<ExAppEntity, 'appId' | 'version'>>,
    change: Partial<ExAppEntity>,
  ): Promise<number> {
    return this.database.entities((em) => em.nativeUpdate(ExAppEntity, where, change));
  }

  #open({ secretSealed, previousSecretSealed, ...app }: ExAppRow): ExApp {
    const purpose = sealedFor(app.appId);
    const hasPrevious =
      previousSecretSealed !== null && this.secrets.opens(previousSecretSealed, purpose);
    return {
      ...app,
      secret: this.secrets.open(secretSealed, purpose),
      previousSecret: hasPrevious ? this.secrets.open(previousSecretSealed, purpose) : null,
    };
  }
}

function sealedFor(appId: string): string {
  return `secret of the external app ${appId}`;
}
