import { RollingMigration } from './kinds.js';

/** Webhooks of boards, and their digest by mail. They go with the board. */
export class Migration0132BoardTelling extends RollingMigration {
  override name = '0132-board-telling';
  readonly locks = {
    account: 'share row exclusive',
    board: 'share row exclusive',
    board_entry: 'share row exclusive',
  };

  override up(): void {
    this.addSql(`
      create table board_webhook (
        id bigint generated always as identity primary key,
        board_id bigint not null references board (id) on delete cascade,
        form text not null,
        name text not null,
        -- Where it leads, without secrets.
        target text not null,
        -- Digest of the whole address.
        target_key bytea not null,
        sealed bytea not null,
        -- Of its messages.
        language text not null,
        enabled boolean not null default true,
        failing_since timestamptz,
        last_error text,
        off_reason text,
        -- It was told all entries up to this one.
        told_entry_id bigint not null,
        -- Entries up to this one are told together; -1: those of this hour, which is not over.
        gather_to bigint,
        -- Of the message that is next.
        attempts smallint not null default 0,
        -- Nothing is sent before.
        due_at timestamptz not null,
        -- No job is sent for it before; later than due_at while one may run.
        wake_at timestamptz not null,
        -- An hour, and the entries that it was told one by one in it.
        hour timestamptz not null,
        sent_in_hour int not null default 0,
        constraint board_webhook_target_unique unique (board_id, target_key)
      );
      create index board_entry_board_id_id_index on board_entry (board_id, id);
      create table board_digest (
        board_id bigint primary key references board (id) on delete cascade,
        -- HH:MM
        at text not null,
        time_zone text not null,
        next_at timestamptz not null,
        -- The digests before have all entries up to this one.
        told_entry_id bigint not null
      );
      -- Members who do not want the digest.
      create table board_digest_refusal (
        board_id bigint references board (id) on delete cascade,
        user_id text references account (user_id) on delete cascade,
        primary key (board_id, user_id)
      );
      create index board_digest_refusal_user_id_index on board_digest_refusal (user_id);
    `);
  }
}
