import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { Database } from '../../database/database.js';

/** How far the installation of an app has come, in the words operators know. */
export interface ExAppStatus {
  /** Percent. */
  readonly deploy: number;
  /** Percent, as the app reports it; 100 means initialised. */
  readonly init: number;
  readonly action: '' | 'deploy' | 'healthcheck' | 'init';
  /** What goes on, or failed: until it is tried again, or the app is disabled. */
  readonly type: '' | 'install' | 'update' | 'install failed' | 'update failed';
  /** Empty while all is well. */
  readonly error: string;
  /** Unix seconds. */
  readonly init_start_time?: number;
  readonly heartbeat_count?: number;
  /** Why the last connection check failed; empty when it did not. */
  readonly heartbeat_error?: string;
}

/** An external app as it was registered. Holds its secret, so it is never sent anywhere as it is. */
export interface ExApp {
  readonly appId: string;
  readonly name: string;
  readonly version: string;
  readonly daemonName: string | null;
  /** Root of the app's own routes, without a slash at the end. */
  readonly baseUrl: string;
  readonly secret: string;
  readonly enabled: boolean;
  readonly status: ExAppStatus;
  readonly isSystem: boolean;
  /** Unix seconds of the last successful connection check; null before the first. */
  readonly lastCheckSeconds: number | null;
}

export type NewExApp = Pick<
  ExApp,
  'appId' | 'name' | 'version' | 'daemonName' | 'baseUrl' | 'secret' | 'status' | 'isSystem'
>;

interface ExAppRow extends Omit<ExApp, 'secret'> {
  readonly secretSealed: Buffer;
}

const COLUMNS = `
  select app_id as "appId", name, version, daemon_name as "daemonName", base_url as "baseUrl",
         secret_sealed as "secretSealed", enabled, status, is_system as "isSystem",
         extract(epoch from last_check_at)::bigint as "lastCheckSeconds"
    from ex_app`;

/** External apps. Secrets are sealed at rest and opened here. */
@Injectable()
export class ExAppsRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  async find(appId: string): Promise<ExApp | null> {
    const [row] = await this.database.query<ExAppRow>(`${COLUMNS} where app_id = $1`, [appId]);
    return row === undefined ? null : this.#open(row);
  }

  async list(): Promise<ExApp[]> {
    const rows = await this.database.query<ExAppRow>(`${COLUMNS} order by app_id`);
    return rows.map((row) => this.#open(row));
  }

  async enabledIds(): Promise<string[]> {
    const rows = await this.database.query<{ appId: string }>(
      'select app_id as "appId" from ex_app where enabled order by app_id',
    );
    return rows.map(({ appId }) => appId);
  }

  /** @returns false when the id is taken */
  async create(app: NewExApp): Promise<boolean> {
    const rows = await this.database.query(
      `insert into ex_app (app_id, name, version, daemon_name, base_url, secret_sealed, status, is_system)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (app_id) do nothing returning 1`,
      [
        app.appId,
        app.name,
        app.version,
        app.daemonName,
        app.baseUrl,
        this.secrets.seal(app.secret, sealedFor(app.appId)),
        JSON.stringify(app.status),
        app.isSystem,
      ],
    );
    return rows.length > 0;
  }

  /** Those whose secret was sealed with another key. */
  async idsWithLostSecret(): Promise<string[]> {
    const rows = await this.database.query<Pick<ExAppRow, 'appId' | 'secretSealed'>>(
      'select app_id as "appId", secret_sealed as "secretSealed" from ex_app order by app_id',
    );
    return rows
      .filter(({ appId, secretSealed }) => !this.secrets.opens(secretSealed, sealedFor(appId)))
      .map(({ appId }) => appId);
  }

  /** @returns false when there is no such app */
  async setSecret(appId: string, secret: string): Promise<boolean> {
    const rows = await this.database.query(
      'update ex_app set secret_sealed = $2 where app_id = $1 returning 1',
      [appId, this.secrets.seal(secret, sealedFor(appId))],
    );
    return rows.length > 0;
  }

  async setEnabled(appId: string, enabled: boolean): Promise<void> {
    await this.database.query('update ex_app set enabled = $2 where app_id = $1', [appId, enabled]);
  }

  /** Does nothing when the version has changed meanwhile. */
  async raiseVersion(appId: string, from: string, to: string): Promise<void> {
    await this.database.query('update ex_app set version = $3 where app_id = $1 and version = $2', [
      appId,
      from,
      to,
    ]);
  }

  /** Changes the named parts of the status and leaves the others. */
  async changeStatus(appId: string, change: Partial<ExAppStatus>): Promise<void> {
    await this.database.query('update ex_app set status = status || $2::jsonb where app_id = $1', [
      appId,
      JSON.stringify(change),
    ]);
  }

  async noteCheck(appId: string): Promise<void> {
    await this.database.query('update ex_app set last_check_at = now() where app_id = $1', [appId]);
  }

  #open({ secretSealed, ...app }: ExAppRow): ExApp {
    return { ...app, secret: this.secrets.open(secretSealed, sealedFor(app.appId)) };
  }
}

function sealedFor(appId: string): string {
  return `secret of the external app ${appId}`;
}
