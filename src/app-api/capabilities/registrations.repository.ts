import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { Database, type SqlRunner } from '../../database/database.js';
import { measureRows } from '../../database/measure-rows.js';
import { InvalidRegistration } from '../app-api.errors.js';
import { hasZeroByte } from '../field-schemas.js';
import type { KindOf, Registration, RegistrationKind, RegistrationSummary } from './capability.js';
import { ExAppRegistrationEntity } from './ex-app-registration.entity.js';
import {
  deleteTopMenu,
  listFilesForBrowsers,
  listHandlers,
  listIcons,
  listOfEnabledApps,
  listReachableAppsFirst,
  saveRegistration,
  summarizeRegistrations,
  type RegistrationRow,
} from './registrations.sql.js';

const READ = {
  fields: ['id', 'appId', 'key', 'fields'],
  orderBy: { id: 'asc' },
  disableIdentityMap: true,
} as const;

/** Registrations of external apps, unique by app, kind and key. */
@Injectable()
export class RegistrationsRepository {
  #onChange: () => void = () => {};

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** @param listener called after each registration and removal by this process */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /**
   * Overwrites all fields of a registration with the same key and keeps its id.
   *
   * @throws LimitReached
   */
  async save<Fields>(
    appId: string,
    kind: RegistrationKind,
    key: string,
    fields: Fields,
  ): Promise<Registration<Fields>> {
    await this.#assertRoom(appId, kind, key, fields);
    const row = await saveRegistration(this.database, { appId, kind, key, fields });
    this.#onChange();
    if (row === undefined) {
      throw new Error(`The ${kind} "${key}" of ${appId} was not saved`);
    }
    return typed<Fields>(row);
  }

  /**
   * Keeps an existing registration as it is.
   *
   * @returns the stored registration, new or not
   * @throws LimitReached
   */
  async saveIfAbsent<Fields>(
    appId: string,
    kind: KindOf<Fields>,
    key: string,
    fields: Fields,
  ): Promise<Registration<Fields>> {
    await this.#assertRoom(appId, kind.kind, key, fields);
    await this.database.entities((em) =>
      em.upsert(
        ExAppRegistrationEntity,
        { appId, kind: kind.kind, key, fields },
        { onConflictFields: ['appId', 'kind', 'key'], onConflictAction: 'ignore' },
      ),
    );
    return (await this.find(appId, kind, key)) ?? this.save(appId, kind.kind, key, fields);
  }

  async find<Fields>(
    appId: string,
    { kind }: KindOf<Fields>,
    key: string,
  ): Promise<Registration<Fields> | null> {
    const row = await this.database.entities((em) =>
      em.findOne(ExAppRegistrationEntity, { appId, kind, key }, READ),
    );
    return row === null ? null : typed<Fields>(row);
  }

  /** Registrations of one app, oldest first. */
  async ofApp<Fields>(appId: string, { kind }: KindOf<Fields>): Promise<Registration<Fields>[]> {
    const rows = await this.database.entities((em) =>
      em.find(ExAppRegistrationEntity, { appId, kind }, READ),
    );
    return rows.map(typed<Fields>);
  }

  /** Registrations of all apps, enabled or not, oldest first. */
  async ofKind<Fields>({ kind }: KindOf<Fields>): Promise<Registration<Fields>[]> {
    const rows = await this.database.entities((em) =>
      em.find(ExAppRegistrationEntity, { kind }, READ),
    );
    return rows.map(typed<Fields>);
  }

  /**
   * Registrations of enabled apps, oldest first.
   *
   * @param runner the caller's transaction, so that it does not wait for a second connection
   */
  async ofEnabledApps<Fields>(
    { kind }: KindOf<Fields>,
    runner: SqlRunner = this.database,
  ): Promise<Registration<Fields>[]> {
    return (await listOfEnabledApps(runner, kind)).map(typed<Fields>);
  }

  /** The same, with the apps last whose latest connection check failed. */
  async ofReachableAppsFirst<Fields>({ kind }: KindOf<Fields>): Promise<Registration<Fields>[]> {
    return (await listReachableAppsFirst(this.database, kind)).map(typed<Fields>);
  }

  /** All kinds of registrations of one app, oldest first. */
  async summaryOf(appId: string): Promise<RegistrationSummary[]> {
    return summarizeRegistrations(this.database, appId);
  }

  /** The paths of one app that the gateway calls, as registered. */
  async handlersOf(appId: string): Promise<string[]> {
    return listHandlers(this.database, appId);
  }

  /** Scripts, styles and icons of one app that browsers fetch, without their queries. */
  async filesForBrowsers(appId: string): Promise<string[]> {
    return listFilesForBrowsers(this.database, appId);
  }

  /** Icons of one app, without leading slashes and queries. */
  async iconsOf(appId: string): Promise<string[]> {
    return listIcons(this.database, appId);
  }

  /** @returns whether it existed */
  async remove(appId: string, kind: RegistrationKind, key: string): Promise<boolean> {
    const removed = await this.database.entities((em) =>
      em.nativeDelete(ExAppRegistrationEntity, { appId, kind, key }),
    );
    this.#onChange();
    return removed > 0;
  }

  /** Removes a menu entry and the resources of its page. @returns whether it existed */
  async removeTopMenu(appId: string, name: string, pageKeyPrefix: string): Promise<boolean> {
    return deleteTopMenu(this.database, appId, name, pageKeyPrefix);
  }

  async #assertRoom(
    appId: string,
    kind: RegistrationKind,
    key: string,
    fields: unknown,
  ): Promise<void> {
    if (hasZeroByte(fields)) {
      throw new InvalidRegistration('A registration must not contain zero bytes.');
    }
    const { count, bytes } = await measureRows(
      this.database,
      'octet_length(fields::text)',
      'ex_app_registration where app_id = $1 and (kind <> $2 or key <> $3)',
      [appId, kind, key],
    );
    const added = Buffer.byteLength(JSON.stringify(fields));
    assertBelowLimit(this.config, 'registrations-per-app', count);
    assertBelowLimit(this.config, 'registration-bytes-per-app', bytes, added);
  }
}

/** The fields were parsed by the kind's schema before they were stored. */
function typed<Fields>({ id, appId, key, fields }: RegistrationRow): Registration<Fields> {
  return { id, appId, key, fields: fields as Fields };
}
