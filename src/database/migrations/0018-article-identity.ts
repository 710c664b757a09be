import { Migration } from '@mikro-orm/migrations';

/** Identity of articles: docs/decisions/0023-identity-of-articles.md. */
export class Migration0018ArticleIdentity extends Migration {
  override name = '0018-article-identity';

  override up(): void {
    this.addSql(`
      alter table article
        -- MD5 of the guid or link that the publisher wrote; null where it is the same as guid_hash.
        add column key_hash bytea,
        -- Title, own date, body and link, 8 bytes of the MD5 of each. Null where nobody compares.
        add column evidence bytea,
        -- The source's revision at which the document ceased to list the article; 0 while it never did.
        add column unlisted_rev bigint not null default 0;
      create index article_source_id_key_hash_index on article (source_id, key_hash)
       where key_hash is not null;

      -- The former version told articles of one link apart by title and date, in their guid. Only
      -- those that are listed: of the others many may be copies of one entry.
      update article set key_hash = decode(md5(article.url), 'hex')
        from source_document listing
       where listing.source_id = article.source_id and article.id = any(listing.article_ids)
         and length(article.guid) = 32
         and article.guid in (md5(article.url || coalesce(article.title, '') || article.pub_date_seconds),
                              md5(article.url || coalesce(article.title, '')));

      alter table article_tombstone
        add column key_hash bytea,
        -- Null for articles that a former version removed.
        add column evidence bytea,
        add column unlisted_rev bigint not null default 0,
        -- Only of articles with a key_hash; else it is the key of the item that is listed again.
        add column guid text,
        add column buried_at timestamptz not null default now();
      create index article_tombstone_source_id_key_hash_index on article_tombstone (source_id, key_hash)
       where key_hash is not null;

      -- The source's revision at the first delivery. Null for feeds that are older than this column
      -- and for imported ones.
      alter table subscription add column started_rev bigint;

      -- Articles that were listed again and that a feed lacks, since it began while they were not.
      create table late_delivery (
        subscription_id bigint not null references subscription (id) on delete cascade,
        article_id bigint not null references article (id) on delete cascade,
        since timestamptz not null default now(),
        constraint late_delivery_pkey primary key (subscription_id, article_id)
      );
      create index late_delivery_article_id_index on late_delivery (article_id);

      -- Whether the article is older than those of items with lower ids.
      alter table item add column late boolean not null default false;
      create index item_late_index on item (subscription_id, id) where late;
    `);
  }
}
