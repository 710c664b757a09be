import { keyUnlessDistributed, RollingMigration } from './kinds.js';

/**
 * The search index holds the service's own words, beside the former index, which processes of the version
 * before read and write; and searches are kept under a name.
 */
export class Migration0111SearchTokens extends RollingMigration {
  override name = '0111-search-tokens';
  readonly locks = {
    source: 'access exclusive',
    article: 'exclusive',
    reader: 'exclusive',
  };

  override up(): void {
    this.addSql(`
      create table article_tokens (
        article_id bigint,
        source_id bigint,
        tokens tsvector not null,
        -- Whether every reader sees all of these words: there is one text, and nothing is cut.
        is_exact boolean not null,
        primary key (article_id, source_id)
      );
      create index article_tokens_tokens_index on article_tokens using gin (tokens);

      -- The revision up to which the articles of a source are in article_tokens.
      alter table source add column tokens_rev bigint not null default -1;
      create index source_to_tokenise_index on source (id) where rev > tokens_rev;

      create table saved_search (
        id bigint generated always as identity primary key,
        reader_id bigint not null,
        name text not null,
        query jsonb not null,
        in_clients boolean not null default false,
        constraint saved_search_reader_id_name_unique unique (reader_id, name)
      );
    `);
    this.addSql(
      keyUnlessDistributed(
        'article_tokens',
        'foreign key (article_id) references article (id) on delete cascade',
      ),
    );
    this.addSql(
      keyUnlessDistributed(
        'saved_search',
        'foreign key (reader_id) references reader (id) on delete cascade',
      ),
    );
  }
}
