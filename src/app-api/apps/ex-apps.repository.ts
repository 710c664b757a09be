import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { Database } from '../../database/database.js';
import { replaceRoutes, type ExAppRoute } from '../proxy/ex-app-routes.sql.js';
import type { ExAppStatus } from './app-state.js';
import { ExAppEntity } from './ex-app.entity.js';
import {
  findExApp,
  insertExApp,
  listExApps,
  mergeStatus,
  removeExpiredSecrets,
  rotateSecret,
  touchLastCheck,
  touchTasksAsked,
  type ExAppRow,
  type NewExAppRow,
} from './ex-apps.sql.js';

/** A registered external app. Contains its secret, so it is never sent anywhere as a whole. */
export interface ExApp {
  readonly appId: string;
  readonly name: string;
  readonly version: string;
  readonly daemonName: string | null;
  /** Root of the app's routes, without trailing slash. */
  readonly baseUrl: string;
  readonly secret: string;
  /** The one before the last rotation, while it is valid. */
  readonly previousSecret: string | null;
  /** Unix seconds; null without a previous secret. */
  readonly previousSecretUntilSeconds: number | null;
  /** Whether the app has shown since the last rotation that it has the present secret. */
  readonly secretSeen: boolean;
  readonly enabled: boolean;
  readonly status: ExAppStatus;
  readonly isSystem: boolean;
  /** Unix seconds of the latest successful connection check; null before the first. */
  readonly lastCheckSeconds: number | null;
  /** Unix seconds at which it last asked for tasks, to within 30 seconds; null if never. */
  readonly tasksAskedSeconds: number | null;
}

type NewExApp = Omit<NewExAppRow, 'secretSealed'> & Pick<ExApp, 'secret'>;

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

  async find(appId: string): Promise<ExApp | null> {
    const row = await findExApp(this.database, appId);
    return row === undefined ? null : this.#open(row);
  }

  /** By id. */
  async list(): Promise<ExApp[]> {
    return (await listExApps(this.database)).map((row) => this.#open(row));
  }

  async enabledIds(): Promise<string[]> {
    const apps = await this.database.entities((em) =>
      em.find(ExAppEntity, { enabled: true }, { fields: ['appId'], orderBy: { appId: 'asc' } }),
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
      if (!(await insertExApp(tx, { ...app, secretSealed }))) {
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
   * As `setSecret`, but the secret that the app's process has stays valid for some time.
   *
   * @returns false if there is no such app
   */
  async rotateSecret(appId: string, secret: string, graceSeconds: number): Promise<boolean> {
    const secretSealed = this.secrets.seal(secret, sealedFor(appId));
    return rotateSecret(this.database, appId, secretSealed, graceSeconds);
  }

  /** Records that an app has shown that it has the present secret. */
  async noteSecretSeen(appId: string): Promise<void> {
    await this.#update({ appId }, { secretSeen: true });
  }

  /** Deletes previous secrets that are no longer valid. */
  async removeExpiredSecrets(): Promise<void> {
    await removeExpiredSecrets(this.database);
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
    await mergeStatus(this.database, appId, change);
  }

  /** Records a successful connection check. */
  async noteCheck(appId: string): Promise<void> {
    await touchLastCheck(this.database, appId);
  }

  /** Records that an app has asked for tasks. */
  async noteTasksAsked(appId: string): Promise<void> {
    await touchTasksAsked(this.database, appId);
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
