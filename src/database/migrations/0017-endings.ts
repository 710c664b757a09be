import { Migration } from '@mikro-orm/migrations';

/** Cleanup after an external app is removed, and OIDC sessions for back-channel logout. */
export class Migration0017Endings extends Migration {
  override name = '0017-endings';

  override up(): void {
    this.addSql(`
      -- The app that owns the bot, so that the bot leaves conversations with its app even if the app
      -- already withdrew it. Null for bots recorded earlier, until the list of bots is next read.
      alter table chat_bot add column app_id text;
      create index chat_bot_app_id_index on chat_bot (app_id);

      -- The provider of the session and the provider's id of it (claim sid). Null for older
      -- sessions, and if the provider sends no sid.
      alter table oidc_session
        add column issuer text,
        add column sid text;
      create index oidc_session_issuer_sid_index on oidc_session (issuer, sid);

      -- The claims of the previous login. An account whose name differs from them was renamed here
      -- and keeps that name.
      alter table oidc_identity
        add column told_name text,
        add column told_email text;
    `);
  }
}
