import { RollingMigration } from './kinds.js';

/**
 * Archives of accounts in pieces, at most one of each kind: exports, and those that are taken in. Every process can
 * make, send and read them.
 */
export class Migration0122AccountArchives extends RollingMigration {
  override name = '0122-account-archives';
  readonly locks = { account: 'share row exclusive' };

  override up(): void {
    this.addSql(`
      create table account_archive (
        id bigint generated always as identity primary key,
        user_id text not null references account (user_id) on delete cascade,
        -- export or import.
        kind text not null,
        -- waiting, working, ready or failed.
        state text not null default 'waiting',
        with_files boolean not null,
        with_secrets boolean not null,
        -- The process that works on it; another one takes over if it is silent.
        attempt uuid,
        attempts int not null default 0,
        touched_at timestamptz not null default now(),
        asked_at timestamptz not null default now(),
        -- When it is removed; null until it is ready.
        expires_at timestamptz,
        entries int not null default 0,
        size_bytes bigint not null default 0,
        -- What an import did not take in.
        left_out jsonb not null default '[]',
        -- A sentence.
        problem text,
        unique (user_id, kind)
      );
      create index account_archive_expires_at_index on account_archive (expires_at);
      create table account_archive_piece (
        archive_id bigint references account_archive (id) on delete cascade,
        place int,
        bytes bytea not null,
        primary key (archive_id, place)
      );
      -- They are compressed already.
      alter table account_archive_piece alter column bytes set storage external;
    `);
  }
}
