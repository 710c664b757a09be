import { Migration } from '@mikro-orm/migrations';

/**
 * For the reader's pages: assistance by external apps, live updates, and statistics for
 * administrators. See docs/decisions/0020-the-reader-pages.md.
 */
export class Migration0012ReaderPages extends Migration {
  override name = '0012-reader-pages';

  override up(): void {
    this.addSql(`
      -- Until when some process wants to hear of this user's changes; null when nobody watches.
      -- Changes of users whom nobody watches are not announced, and cost nothing more.
      alter table reader add column watched_until timestamptz;
      create index reader_watched_until_index on reader (watched_until)
        where watched_until is not null;

      -- For the statistics, which look at all sources of a span of time.
      create index fetch_attempt_at_index on fetch_attempt (at);

      -- What external apps made of an article: for everybody who has the article.
      create table article_assistance (
        id bigint generated always as identity primary key,
        article_id bigint not null references article (id) on delete cascade,
        -- translation, summary, topics, headline, transcript
        kind text not null,
        -- 'en>de', or '>de' where the language was to be found out; empty for other kinds
        languages text not null,
        -- Whether it was made of the text of the article's page.
        full_text boolean not null,
        -- sha256 of what it was made of: another one now means that it is out of date.
        input_hash bytea not null,
        state text not null default 'running',
        result jsonb,
        -- What went wrong, fit to be shown.
        error text,
        -- For whom it is being made; null once it is finished.
        user_id text,
        started_at timestamptz not null default now(),
        finished_at timestamptz,
        constraint article_assistance_unique unique (article_id, kind, languages, full_text),
        constraint article_assistance_state_check check (state in ('running', 'done', 'failed'))
      );
      create index article_assistance_user_id_index on article_assistance (user_id)
        where user_id is not null;
      create index article_assistance_finished_at_index on article_assistance (finished_at);
    `);
  }
}
