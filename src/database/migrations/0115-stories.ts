import { RollingMigration } from './kinds.js';

/**
 * Each story once. Stories, their signatures and keys are short-lived and stand beside the sources. No foreign keys
 * to articles, which may be on other servers.
 */
export class Migration0115Stories extends RollingMigration {
  override name = '0115-stories';
  override readonly locks = {
    early_reader: 'access exclusive',
    item_mark: 'access exclusive',
    reader: 'access exclusive',
    subscription: 'access exclusive',
  };

  override up(): void {
    this.addSql(`
      alter table reader add column stories_once boolean not null default false;
      alter table early_reader add column stories boolean not null default false;
      alter table subscription add column always_shown boolean not null default false;
      alter table item_mark add column duplicate_of bigint;
      create index item_mark_duplicate_of_index on item_mark (reader_id, duplicate_of)
        where duplicate_of is not null;
      create table story_signature (
        article_id bigint primary key,
        source_id bigint not null,
        signature bytea not null,
        at timestamptz not null default now()
      );
      create index story_signature_at_index on story_signature (at);
      create table story_key (
        key bigint,
        article_id bigint,
        at timestamptz not null default now(),
        primary key (key, article_id)
      );
      create index story_key_at_index on story_key using brin (at);
      create table article_story (
        article_id bigint primary key,
        source_id bigint not null,
        -- The smallest id of its articles.
        story_id bigint not null,
        -- link, title, text
        how text not null,
        score real not null,
        at timestamptz not null default now()
      );
      create index article_story_story_id_index on article_story (story_id);
      create index article_story_at_index on article_story (at)`);
  }
}
