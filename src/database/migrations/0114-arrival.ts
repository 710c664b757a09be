import { FunctionsMigration } from './kinds.js';

/** Articles are delivered as they arrive to readers who are told something, or whose tasks start by themselves. */
export class Migration0114Arrival extends FunctionsMigration {
  override name = '0114-arrival';

  override get locks() {
    return {
      article_assistance: 'share row exclusive',
      reader: 'access exclusive',
      reader_client: 'access exclusive',
      reader_user: 'share row exclusive',
      news_event_wish: 'exclusive',
    };
  }

  override up(): void {
    this.addSql(`
      create table early_reader (
        reader_id bigint primary key references reader_user (reader_id) on delete cascade,
        user_id text not null,
        tells boolean not null default false,
        automates boolean not null default false,
        digests boolean not null default false,
        rules_rev bigint not null default 0
      );
      -- Beside the sources, since news_event_wish may be on other servers.
      create table apps_listening (everyone boolean primary key default true check (everyone));
      alter table reader add column is_early boolean not null default false;
      -- Nothing is delivered early meanwhile; null: no pages are left.
      alter table reader_client add column paging_until timestamptz;
      -- Whether there are answers is asked with each article that a rule or a search looks at.
      create index article_assistance_answer_index on article_assistance (article_id)
        where kind = 'answer';
      insert into early_reader (reader_id, user_id, automates)
        select automatic.reader_id, reader_user.user_id, true
          from (select reader_id from automatic_reader where is_on offset 0) automatic
          join reader_user on reader_user.reader_id = automatic.reader_id;
      update reader set is_early = true
       where exists (select from automatic_reader
                      where automatic_reader.reader_id = reader.id and is_on);
    `);
    super.up();
    this.addSql('select want_news_events(array(select subtype from news_event_wish))');
  }
}
