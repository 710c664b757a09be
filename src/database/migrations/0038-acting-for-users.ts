import { Migration } from '@mikro-orm/migrations';

/** Consent of users to apps that act for them in the feed reader, and items that are added by hand. */
export class Migration0038ActingForUsers extends Migration {
  override name = '0038-acting-for-users';

  override up(): void {
    this.addSql(`
      create table app_consent (
        user_id text not null references account (user_id) on delete cascade,
        app_id text not null references ex_app (app_id) on delete cascade,
        -- asked | granted | refused
        state text not null,
        -- When the app first asked; null if the user decided without being asked.
        asked_at timestamptz,
        decided_at timestamptz,
        -- Within the hour.
        used_at timestamptz,
        primary key (user_id, app_id),
        constraint app_consent_state_check check (state in ('asked', 'granted', 'refused')),
        constraint app_consent_decided_at_check check ((decided_at is null) = (state = 'asked'))
      )`);
    this.addSql('create index app_consent_app_id_index on app_consent (app_id)');
    // Such a source has no schedule and is never fetched; its items come from requests.
    this.addSql('alter table source add column given_to text');
    this.addSql(
      'create index source_given_to_index on source (given_to) where given_to is not null',
    );
  }
}
