import { Migration } from '@mikro-orm/migrations';

/**
 * State of fetches for politeness, fetch history for the feed doctor, and markers of removed
 * articles. See docs/decisions/0011-politeness.md and 0012-retention.md.
 */
export class Migration0003FetchHistory extends Migration {
  override name = '0003-fetch-history';

  override up(): void {
    this.addSql(`
      alter table source
        -- Where the publisher moved to for good. Null: fetched from url, which stays its identity.
        add column effective_url text,
        -- A move that was announced, and not yet often enough to be believed.
        add column moving_to text,
        add column moving_since timestamptz,
        add column moving_sightings int not null default 0,
        -- The publisher said that the feed is gone for good.
        add column gone_at timestamptz,
        -- Answers in a row that sent no document because nothing had changed.
        add column not_modified_in_row int not null default 0,
        -- What the last document said about when it is published.
        add column publishing_hints jsonb;

      -- A due date that was wanted while the source was being fetched: due again right after.
      alter table source_schedule add column wanted_again boolean not null default false;

      -- Since when the list of articles has been as it is.
      alter table source_document add column listed_at timestamptz not null default now();

      create table fetch_attempt (
        id bigint generated always as identity primary key,
        source_id bigint not null references source (id) on delete cascade,
        at timestamptz not null default now(),
        outcome text not null,
        -- Null without an answer.
        status smallint,
        duration_ms int,
        bytes int,
        new_items int not null default 0,
        changed_items int not null default 0,
        -- What went wrong, and why the source is due when it is.
        message text,
        decision text not null,
        due_at timestamptz not null
      );
      create index fetch_attempt_source_id_index on fetch_attempt (source_id, id);

      -- The last document that could not be read, compressed and cut off at a limit.
      create table failed_document (
        source_id bigint primary key references source (id) on delete cascade,
        at timestamptz not null default now(),
        message text not null,
        content_type text,
        byte_count int not null,
        gzipped bytea not null
      );

      -- Articles that retention removed. Listed again by their publisher, they come back under the
      -- revision they had, which lies below every watermark they were delivered under.
      create table article_tombstone (
        source_id bigint not null references source (id) on delete cascade,
        guid_hash bytea not null,
        first_rev bigint not null,
        constraint article_tombstone_pkey primary key (source_id, guid_hash)
      );

      -- What we asked of WebSub hubs.
      create table websub_lease (
        -- In the callback's address; nobody can guess it.
        callback_id text primary key,
        -- Null once nobody follows the source; then the hub is told to stop.
        source_id bigint references source (id) on delete set null,
        hub_url text not null,
        topic_url text not null,
        secret text not null,
        state text not null,
        expires_at timestamptz,
        next_step_at timestamptz not null default now(),
        failures int not null default 0,
        last_call_at timestamptz,
        constraint websub_lease_source_id_unique unique (source_id),
        constraint websub_lease_state_check
          check (state in ('wanted', 'asked', 'active', 'refused', 'leaving'))
      );
      create index websub_lease_next_step_at_index on websub_lease (next_step_at);
    `);
  }
}
