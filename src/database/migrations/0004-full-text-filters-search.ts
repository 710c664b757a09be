import { Migration } from '@mikro-orm/migrations';

/**
 * Settings per feed, filters, full text of articles, and the search index. See
 * docs/decisions/0010-full-text-filters-and-search.md.
 */
export class Migration0004FullTextFiltersSearch extends Migration {
  override name = '0004-full-text-filters-search';

  override up(): void {
    this.addSql(`
      alter table subscription
        -- Shows the text of the article's page in place of what the feed says.
        add column full_text boolean not null default false,
        -- What a changed article does to the flag unread: 0 leaves it, 1 sets it.
        add column update_mode smallint not null default 0,
        add constraint subscription_update_mode_check check (update_mode in (0, 1));
      create index subscription_full_text_index on subscription (source_id) where full_text;

      -- Keywords as the user wrote them, parted by commas. Read and written under the reader's lock.
      create table subscription_filter (
        subscription_id bigint primary key references subscription (id) on delete cascade,
        id bigint generated always as identity,
        title_keywords text not null,
        body_keywords text not null,
        url_keywords text not null,
        constraint subscription_filter_id_unique unique (id)
      );

      alter table article_body add column full_text_html text;
      -- The source's revision that brought the text of the page. Apart from rev, since only those
      -- who see that text are to notice.
      alter table article add column full_text_rev bigint;
      create index article_source_id_full_text_rev_index on article (source_id, full_text_rev)
        where full_text_rev is not null;

      -- Sources of which somebody wants full text, and the revision up to which pages were planned.
      create table full_text_source (
        source_id bigint primary key references source (id) on delete cascade,
        planned_rev bigint not null
      );

      -- Pages of articles: when each is to be asked for; null when there is no need.
      create table full_text_page (
        article_id bigint primary key references article (id) on delete cascade,
        source_id bigint not null references full_text_source (source_id) on delete cascade,
        url text not null,
        host_key text not null,
        due_at timestamptz,
        failures int not null default 0,
        asked_at timestamptz,
        lease_token uuid
      );
      create index full_text_page_due_at_index on full_text_page (due_at) where due_at is not null;
      create index full_text_page_source_id_index on full_text_page (source_id);

      create table article_search (
        article_id bigint primary key references article (id) on delete cascade,
        tsv tsvector not null
      );
      create index article_search_tsv_index on article_search using gin (tsv);

      -- The revision up to which articles can be found by the search.
      alter table source add column search_rev bigint not null default 0;
      create index source_to_index_for_search_index on source (id) where rev > search_rev;
    `);
  }
}
