import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { entityOf, p } from '../../database/entity-of.js';
import { type RowOf, selectList } from '../../database/select-list.js';

/** `asked`: the user has not decided yet. */
export type ConsentState = 'asked' | 'granted' | 'refused';

/** Whether an app may use the feed reader for a user. */
export class AppConsentEntity extends entityOf('app_consent', {
  userId: p.text().primary(),
  appId: p.text().primary(),
  state: p.text().$type<ConsentState>(),
  /** When the app first asked; null if the user decided without being asked. */
  askedAt: p.datetime().strictNullable(),
  decidedAt: p.datetime().strictNullable(),
  /** The latest use, within the hour. */
  usedAt: p.datetime().strictNullable(),
}) {}

const COLUMNS = selectList(AppConsentEntity, 'consent', ['appId', 'state']);

/** The consent to an enabled app. Times are unix seconds. */
export type Consent = RowOf<typeof COLUMNS> & {
  /** Display name of the app. */
  readonly name: string;
  readonly askedSeconds: number | null;
  readonly decidedSeconds: number | null;
  /** The latest use, within the hour. */
  readonly usedSeconds: number | null;
};

/** Consents of users to apps, at most one per user and app. */
@Injectable()
export class ConsentsRepository {
  constructor(private readonly database: Database) {}

  /** @returns null if the app never asked, and the user did not decide */
  async read(userId: string, appId: string): Promise<ConsentState | null> {
    const [row] = await this.database.query<{ state: ConsentState }>(
      'select state from app_consent where user_id = $1 and app_id = $2',
      [userId, appId],
    );
    return row?.state ?? null;
  }

  /** Reads the consent and records the use of a granted one, at most once an hour. One statement. */
  async use(userId: string, appId: string): Promise<ConsentState | null> {
    const [row] = await this.database.query<{ state: ConsentState }>(
      `with used as (
         update app_consent set used_at = now()
          where user_id = $1 and app_id = $2 and state = 'granted'
            and (used_at is null or used_at < now() - interval '1 hour')
       )
       select state from app_consent where user_id = $1 and app_id = $2`,
      [userId, appId],
    );
    return row?.state ?? null;
  }

  /** Consents to enabled apps, by name. */
  async list(userId: string): Promise<Consent[]> {
    return this.database.query(
      `select ${COLUMNS}, app.name,
              floor(extract(epoch from asked_at))::bigint as "askedSeconds",
              floor(extract(epoch from decided_at))::bigint as "decidedSeconds",
              floor(extract(epoch from used_at))::bigint as "usedSeconds"
         from app_consent consent join ex_app app using (app_id)
        where user_id = $1 and app.enabled order by lower(app.name), app_id`,
      [userId],
    );
  }

  /** @returns false if the app has asked before, or the user has decided */
  async ask(userId: string, appId: string): Promise<boolean> {
    const rows = await this.database.query(
      `insert into app_consent (user_id, app_id, state, asked_at) values ($1, $2, 'asked', now())
       on conflict do nothing returning 1`,
      [userId, appId],
    );
    return rows.length > 0;
  }

  /** @returns the former state, null for none; undefined if there is no such enabled app */
  async decide(
    userId: string,
    appId: string,
    state: 'granted' | 'refused',
  ): Promise<ConsentState | null | undefined> {
    const [row] = await this.database.query<{ former: ConsentState | null }>(
      `with app as (
         select app_id from ex_app where app_id = $2 and enabled
       ), former as (
         select state from app_consent where user_id = $1 and app_id = $2
       ), decided as (
         insert into app_consent (user_id, app_id, state, decided_at)
         select $1, app_id, $3, now() from app
         on conflict (user_id, app_id) do update set state = excluded.state, decided_at = now()
          where app_consent.state <> excluded.state
       )
       select (select state from former) as former from app`,
      [userId, appId, state],
    );
    return row?.former;
  }
}
