import { RollingMigration } from './kinds.js';

/** Channels by which readers are told, and notices: the outbox and the list of what was told. */
export class Migration0113Notices extends RollingMigration {
  override name = '0113-notices';
  override readonly locks = { reader: 'share row exclusive' };

  override up(): void {
    this.addSql(`
      create table notice_channel (
        id bigint generated always as identity,
        reader_id bigint references reader (id) on delete cascade,
        -- push, mail, webhook, app
        kind text not null,
        -- Of a webhook: standard, ntfy, gotify, pushover, apprise, slack, discord, teams.
        form text,
        name text not null,
        enabled boolean not null default true,
        -- Whether it may be told of feeds with credentials.
        private_feeds boolean not null default false,
        -- Where it leads, without secrets.
        target text not null,
        -- Digest of the whole address.
        target_key bytea not null,
        sealed bytea not null,
        failing_since timestamptz,
        last_error text,
        off_reason text,
        primary key (reader_id, id),
        constraint notice_channel_target_unique unique (reader_id, target_key)
      );
      -- No foreign keys to rules, items and channels: the list of what was told outlives them.
      create table notice (
        id bigint generated always as identity,
        reader_id bigint references reader (id) on delete cascade,
        rule_id bigint not null,
        rule_name text not null,
        item_id bigint not null,
        channel_id bigint not null,
        urgent boolean not null,
        -- Key of the notice that several are told by; null: by itself.
        gathered text,
        -- waiting, sent, failed, dropped
        state text not null default 'waiting',
        -- Why it was not sent; null otherwise.
        reason text,
        attempts smallint not null default 0,
        created_at timestamptz not null,
        -- When it is, was or would have been sent.
        due_at timestamptz not null,
        -- When a job has to be sent for it, unless one is under way.
        wake_at timestamptz not null,
        -- As they were told; null while it waits.
        title text,
        feed_id bigint,
        feed_title text,
        channel_name text,
        primary key (reader_id, id),
        constraint notice_once unique (reader_id, rule_id, item_id, channel_id)
      );
      create index notice_due_index on notice (reader_id, channel_id, due_at) where state = 'waiting';
      create index notice_wake_at_index on notice (wake_at) where state = 'waiting';
      create index notice_created_at_index on notice (created_at);
      create table notice_settings (
        reader_id bigint references reader (id) on delete cascade,
        -- {from, to, days}; null: none
        quiet jsonb,
        time_zone text not null,
        not_while_reading boolean not null,
        most_per_rule_and_hour int not null,
        primary key (reader_id)
      );
      -- The pair of keys by which push services know this installation; at most one row.
      create table push_key (
        name text primary key,
        public_key text not null,
        sealed bytea not null
      )`);
  }
}
