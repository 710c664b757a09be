import { Migration } from '@mikro-orm/migrations';

/** Cleanup after an external app is removed, and OIDC sessions for back-channel logout. */
export class Migration0017Endings extends Migration {
  override name = '0017-endings';

  override up(): void {
    this.addSql(`
      -- Whose bot it is, so that it leaves conversations together with its app, which may have taken
      -- it back by then. Null for those noted before, until somebody looks at the list of bots.
      alter table chat_bot add column app_id text;
      create index chat_bot_app_id_index on chat_bot (app_id);

      -- Which provider a session goes back to, and how that calls its own; null for sessions that are
      -- older, and where the provider does not say.
      alter table oidc_session
        add column issuer text,
        add column sid text;
      create index oidc_session_issuer_sid_index on oidc_session (issuer, sid);

      -- What the provider said at the log-in before. Whoever is called something else by now was
      -- renamed here, and keeps that name.
      alter table oidc_identity
        add column told_name text,
        add column told_email text;
    `);
  }
}
