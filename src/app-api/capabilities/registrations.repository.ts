import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { Database, type SqlRunner } from '../../database/database.js';
import { entityOf, p } from '../../database/entity-of.js';
import { lockLimit } from '../../database/lock-limit.js';
import { measureRows } from '../../database/measure-rows.js';
import { type RowOf, selectList } from '../../database/select-list.js';
import { InvalidRegistration } from '../app-api.errors.js';
import { hasZeroByte } from '../field-schemas.js';
import type { KindOf, Registration, RegistrationKind, RegistrationSummary } from './capability.js';

/** One thing an external app registered: unique by app, kind and key. */
export class ExAppRegistrationEntity extends entityOf('ex_app_registration', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  appId: p.text(),
  kind: p.text().$type<RegistrationKind>(),
  key: p.text(),
  /** Shaped by the kind. `json` instead of `jsonb` preserves the order of the app's keys. */
  fields: p.json().columnType('json').$type<unknown>(),
  createdAt: p.datetime().defaultRaw('now()'),
}) {}

const ROW = selectList(ExAppRegistrationEntity, 'r', ['id', 'appId', 'key', 'fields']);

type RegistrationRow = RowOf<typeof ROW>;

const READ = {
  fields: ['id', 'appId', 'key', 'fields'],
  orderBy: { id: 'asc' },
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

  /** Overwrites all fields of a registration with the same key and keeps its id. */
  async save<Fields>(
    appId: string,
    kind: RegistrationKind,
    key: string,
    fields: Fields,
  ): Promise<Registration<Fields>> {
    const [row] = await this.database.transaction(async (tx) => {
      await this.#assertRoom(tx, appId, kind, key, fields);
      return tx.query<RegistrationRow>(
        `insert into ex_app_registration as r (app_id, kind, key, fields) values ($1, $2, $3, $4)
         on conflict (app_id, kind, key) do update set fields = excluded.fields
         returning ${ROW}`,
        [appId, kind, key, JSON.stringify(fields)],
      );
    });
    this.#onChange();
    if (row === undefined) {
      throw new Error(`The ${kind} "${key}" of ${appId} was not saved`);
    }
    return typed<Fields>(row);
  }

  /**
   * Keeps an existing registration.
   * @returns the stored registration, new or not
   */
  async saveIfAbsent<Fields>(
    appId: string,
    kind: KindOf<Fields>,
    key: string,
    fields: Fields,
  ): Promise<Registration<Fields>> {
    await this.database.transaction(async (tx) => {
      await this.#assertRoom(tx, appId, kind.kind, key, fields);
      await tx.em.upsert(
        ExAppRegistrationEntity,
        { appId, kind: kind.kind, key, fields },
        { onConflictFields: ['appId', 'kind', 'key'], onConflictAction: 'ignore' },
      );
    });
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
    return (
      await runner.query<RegistrationRow>(
        `select ${ROW} from ex_app_registration r join ex_app on ex_app.app_id = r.app_id
        where r.kind = $1 and ex_app.enabled order by r.id`,
        [kind],
      )
    ).map(typed<Fields>);
  }

  /** Like `of`, with the apps last whose latest connection check failed. */
  async ofReachableAppsFirst<Fields>({ kind }: KindOf<Fields>): Promise<Registration<Fields>[]> {
    return (
      await this.database.query<RegistrationRow>(
        `select ${ROW} from ex_app_registration r join ex_app on ex_app.app_id = r.app_id
        where r.kind = $1 and ex_app.enabled
        order by coalesce(ex_app.status->>'heartbeat_error', '') <> '', r.id`,
        [kind],
      )
    ).map(typed<Fields>);
  }

  /** All kinds of registrations of one app, oldest first. */
  async summaryOf(appId: string): Promise<RegistrationSummary[]> {
    return this.database.query<RegistrationSummary>(
      `select kind,
              coalesce(fields->>'path', fields->>'key', fields->>'name', fields->>'id', key) as name,
              coalesce(fields->>'displayName', fields->>'title', fields->>'description',
                       fields->'provider'->>'name', '')
                as "displayName"
         from ex_app_registration where app_id = $1 order by id`,
      [appId],
    );
  }

  /** The paths of one app that the gateway calls, as registered. Runs with every proxied request. */
  async handlersOf(appId: string): Promise<string[]> {
    const rows = await this.database.query<{ handler: string }>(
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
  async filesForBrowsers(appId: string): Promise<string[]> {
    const rows = await this.database.query<{ file: string }>(
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

  /**
   * Icons of an app's menu entries and file actions, which pages of ours show; without leading slashes and
   * queries.
   */
  async iconsOf(appId: string): Promise<string[]> {
    const rows = await this.database.query<{ file: string }>(
      `select distinct ltrim(split_part(fields->>'icon', '?', 1), '/') as file from ex_app_registration
        where app_id = $1 and kind in ('top_menu', 'file_action') and fields->>'icon' <> ''`,
      [appId],
    );
    return rows.map(({ file }) => file);
  }

  /** @returns whether it existed */
  async remove(appId: string, kind: RegistrationKind, key: string): Promise<boolean> {
    const removed = await this.database.entities((em) =>
      em.nativeDelete(ExAppRegistrationEntity, { appId, kind, key }),
    );
    this.#onChange();
    return removed > 0;
  }

  /**
   * Removes a menu entry and the initial states, scripts and styles of its page.
   *
   * @param pageKeyPrefix prefix of their keys
   * @returns whether the entry existed
   */
  async removeTopMenu(appId: string, name: string, pageKeyPrefix: string): Promise<boolean> {
    const rows = await this.database.query<{ kind: RegistrationKind }>(
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

  async #assertRoom(
    tx: SqlRunner,
    appId: string,
    kind: RegistrationKind,
    key: string,
    fields: unknown,
  ): Promise<void> {
    if (hasZeroByte(fields)) {
      throw new InvalidRegistration('A registration must not contain zero bytes.');
    }
    await lockLimit(tx, 'registrations-per-app', appId);
    const { count, bytes } = await measureRows(
      tx,
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
