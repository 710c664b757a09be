import { RollingMigration } from './kinds.js';

/**
 * Lists that users publish under a secret address. The table stays on the coordinator when readers are distributed,
 * since its rows are found by their token alone; so it belongs to `reader_user` and not to `reader`.
 */
export class Migration0127FeedsOut extends RollingMigration {
  override name = '0127-feeds-out';
  readonly locks = { reader_user: 'share row exclusive' };

  override up(): void {
    this.addSql(`
      create table feed_out (
        id bigint generated always as identity primary key,
        user_id text not null references reader_user (user_id) on delete cascade,
        -- folder, label, search, starred, item
        kind text not null,
        -- 0 for starred
        of_id bigint not null,
        token_hash bytea not null constraint feed_out_token_unique unique,
        sealed bytea not null,
        full_text boolean not null,
        with_notes boolean not null,
        created_at timestamptz not null default now(),
        changed_at timestamptz not null default now(),
        constraint feed_out_list_unique unique (user_id, kind, of_id)
      )`);
  }
}
