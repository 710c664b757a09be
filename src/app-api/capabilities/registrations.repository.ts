import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

/** What an external app can announce of itself. */
export type RegistrationKind =
  | 'occ_command'
  | 'top_menu'
  | 'initial_state'
  | 'script'
  | 'style'
  | 'file_action'
  | 'settings_form'
  | 'translation'
  | 'text_processing'
  | 'speech_to_text'
  | 'events_listener'
  | 'talk_bot';

/** One announcement. `fields` are the app's words; `Fields` is their shape for the kind. */
export interface Registration<Fields> {
  readonly id: number;
  readonly appId: string;
  readonly key: string;
  readonly fields: Fields;
}

/** A registration as a list of all kinds names it. */
export interface AnnouncedThing {
  readonly kind: RegistrationKind;
  readonly name: string;
  /** As people know it; empty when it has no such name. */
  readonly displayName: string;
}

const COLUMNS = 'r.id, r.app_id as "appId", r.key, r.fields';

/** Announcements of external apps, one row each, unique by app, kind and key. */
@Injectable()
export class RegistrationsRepository {
  constructor(private readonly database: Database) {}

  /** Announcing the same thing again replaces every field and keeps the id. */
  async save<Fields>(
    appId: string,
    kind: RegistrationKind,
    key: string,
    fields: Fields,
  ): Promise<Registration<Fields>> {
    const [row] = await this.database.query<Registration<Fields>>(
      `insert into ex_app_registration as r (app_id, kind, key, fields) values ($1, $2, $3, $4)
       on conflict (app_id, kind, key) do update set fields = excluded.fields
       returning ${COLUMNS}`,
      [appId, kind, key, JSON.stringify(fields)],
    );
    if (row === undefined) {
      throw new Error(`The ${kind} "${key}" of ${appId} was not saved`);
    }
    return row;
  }

  async find<Fields>(
    appId: string,
    kind: RegistrationKind,
    key: string,
  ): Promise<Registration<Fields> | null> {
    const [row] = await this.database.query<Registration<Fields>>(
      `select ${COLUMNS} from ex_app_registration r where app_id = $1 and kind = $2 and key = $3`,
      [appId, kind, key],
    );
    return row ?? null;
  }

  /** All of one app, in the order of their first announcement. */
  async ofApp<Fields>(appId: string, kind: RegistrationKind): Promise<Registration<Fields>[]> {
    return this.database.query<Registration<Fields>>(
      `select ${COLUMNS} from ex_app_registration r where app_id = $1 and kind = $2 order by id`,
      [appId, kind],
    );
  }

  /** Of all apps, enabled or not. */
  async ofKind<Fields>(kind: RegistrationKind): Promise<Registration<Fields>[]> {
    return this.database.query<Registration<Fields>>(
      `select ${COLUMNS} from ex_app_registration r where kind = $1 order by id`,
      [kind],
    );
  }

  /** Of all kinds, in the order of their first announcement. */
  async announcedBy(appId: string): Promise<AnnouncedThing[]> {
    return this.database.query<AnnouncedThing>(
      `select kind,
              coalesce(fields->>'path', fields->>'key', fields->>'name', fields->>'id', key) as name,
              coalesce(fields->>'displayName', fields->>'title', fields->>'description', '')
                as "displayName"
         from ex_app_registration where app_id = $1 order by id`,
      [appId],
    );
  }

  /** Paths of one app that the gateway calls: handlers of every kind, as registered. */
  async handlersOf(appId: string): Promise<string[]> {
    const rows = await this.database.query<{ handler: string }>(
      `select handler from ex_app_registration r
        cross join lateral (values (fields->>'actionHandler'),
                                   (nullif(fields->>'actionDetectLang', '')),
                                   (fields->>'executeHandler'), (fields->>'route')) as h (handler)
        where app_id = $1 and handler is not null`,
      [appId],
    );
    return rows.map(({ handler }) => handler);
  }

  /** Scripts, styles and icons that one app registered for browsers to fetch, without a query. */
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
   * All of the apps that are enabled now: what users may see and use.
   *
   * @param runner the transaction that asks, which must not wait for a second connection
   */
  async ofEnabledApps<Fields>(
    kind: RegistrationKind,
    runner: SqlRunner = this.database,
  ): Promise<Registration<Fields>[]> {
    return runner.query<Registration<Fields>>(
      `select ${COLUMNS} from ex_app_registration r join ex_app on ex_app.app_id = r.app_id
        where r.kind = $1 and ex_app.enabled order by r.id`,
      [kind],
    );
  }

  /**
   * The same, for work that any of them can do: those of apps that answered their last connection
   * check come first, so that one that went away keeps nobody from its neighbours.
   */
  async ofReachableAppsFirst<Fields>(kind: RegistrationKind): Promise<Registration<Fields>[]> {
    return this.database.query<Registration<Fields>>(
      `select ${COLUMNS} from ex_app_registration r join ex_app on ex_app.app_id = r.app_id
        where r.kind = $1 and ex_app.enabled
        order by coalesce(ex_app.status->>'heartbeat_error', '') <> '', r.id`,
      [kind],
    );
  }

  /** @returns whether there was one */
  async remove(appId: string, kind: RegistrationKind, key: string): Promise<boolean> {
    const rows = await this.database.query(
      'delete from ex_app_registration where app_id = $1 and kind = $2 and key = $3 returning 1',
      [appId, kind, key],
    );
    return rows.length > 0;
  }

  /**
   * A menu entry together with the initial states, scripts and styles of its page.
   *
   * @param pagePrefix what the keys of those begin with
   * @returns whether there was such an entry
   */
  async removeTopMenu(appId: string, name: string, pagePrefix: string): Promise<boolean> {
    const rows = await this.database.query<{ kind: RegistrationKind }>(
      `delete from ex_app_registration
        where app_id = $1
          and (kind = 'top_menu' and key = $2
            or kind in ('initial_state', 'script', 'style') and starts_with(key, $3)
              and exists (select from ex_app_registration m
                           where m.app_id = $1 and m.kind = 'top_menu' and m.key = $2))
       returning kind`,
      [appId, name, pagePrefix],
    );
    return rows.some(({ kind }) => kind === 'top_menu');
  }

  /**
   * Announces something whose first announcement holds what must stay the same afterwards.
   *
   * @returns the first announcement, this one or the one there was
   */
  async saveFirst<Fields>(
    appId: string,
    kind: RegistrationKind,
    key: string,
    fields: Fields,
  ): Promise<Registration<Fields>> {
    await this.database.query(
      `insert into ex_app_registration (app_id, kind, key, fields) values ($1, $2, $3, $4)
       on conflict (app_id, kind, key) do nothing`,
      [appId, kind, key, JSON.stringify(fields)],
    );
    return (await this.find<Fields>(appId, kind, key)) ?? this.save(appId, kind, key, fields);
  }
}
