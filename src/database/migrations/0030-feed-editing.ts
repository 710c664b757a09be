import { Migration } from '@mikro-orm/migrations';

/** A feed can be moved to another address, fetched with its own headers, and begin partly read. */
export class Migration0030FeedEditing extends Migration {
  override name = '0030-feed-editing';

  override up(): void {
    this.addSql(`
      -- User name, password, user agent and cookie, sealed with the secret key; null: none. Part of
      -- url_key, so that only users who have them share the source.
      alter table source add column access bytea`);
    this.addSql(`
      alter table subscription
        -- Items that the first delivery leaves unread, the newest ones; null: all, and afterwards.
        add column start_unread integer,
        -- Hours between fetches that the user wants; null: as often as the feed publishes.
        add column fetch_every_hours smallint
          constraint subscription_fetch_every_hours_check
               check (fetch_every_hours between 1 and 168)`);
    this.addSql(`
      create index subscription_fetch_every_hours_index on subscription (source_id)
       include (fetch_every_hours) where fetch_every_hours is not null`);
    this.addSql(`
      -- Where a feed came from before its address was changed: it keeps items of these sources.
      create table former_source (
        subscription_id bigint not null references subscription (id) on delete cascade,
        source_id bigint not null references source (id),
        -- As they were in the subscription.
        delivered_rev bigint not null,
        started_rev bigint,
        constraint former_source_pkey primary key (subscription_id, source_id)
      )`);
    this.addSql('create index former_source_source_id_index on former_source (source_id)');
  }
}
