import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { NEWS_EVENTS_LOCK } from '../../../common/advisory-locks.js';
import { RestoreHooks } from '../../../common/ports/hooks.js';
import {
  type NewsEvent,
  type NewsEventItem,
  NewsEventSourceOffer,
} from '../../../common/ports/news-events.js';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { withoutCredentials } from '../../sources/shown-address.js';
import { announceEvents } from '../delivery/announcements.sql.js';
import { NO_READER, ReaderIdsRepository } from '../delivery/reader-ids.repository.js';
import { NOT_MARKED_FOR_DELETION, withContents } from '../items/item-list.sql.js';

const LOOK_EVERY_MS = 20;
const LONGEST_WAIT_MS = 10_000;

/** A removed event; `userId` is null when the user was deleted. */
type TakenEvent = Omit<NewsEvent, 'userId'> & { readonly userId: string | null };

const COLUMNS = (body: string) => `
  item.id, item.unread, item.starred, item.subscription_id as "feedId", article.guid,
  encode(article.guid_hash, 'hex') as "guidHash", article.title, article.url, article.author,
  article.pub_date_seconds as "pubDate", item.labels, ${body} as body`;

/** An item whose address may have credentials. */
type EventItemRow = Omit<NewsEventItem, 'labels'> & {
  readonly labels: readonly string[] | null;
};

/** Recorded events, and the items that they are about. */
@Injectable()
export class NewsEventsRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIdsRepository,
    source: NewsEventSourceOffer,
    restoreHooks: RestoreHooks,
  ) {
    source.fill(this);
    restoreHooks.add(() => this.forget());
  }

  /**
   * Removes the oldest events in a transaction in which `store` keeps them elsewhere, in each user's order.
   * Events that are spread over servers are removed from all, so that Citus commits the removal in two
   * phases: exactly if `store`'s changes are committed.
   *
   * @returns how many; at most `limit`
   */
  async take(
    limit: number,
    store: (events: readonly NewsEvent[], tx: SqlRunner) => Promise<void>,
  ): Promise<number> {
    return this.#inTurn(async (tx) => {
      const taken = await tx.query<TakenEvent>(
        `with taken as (
           delete from news_event where id in (select id from news_event order by place, id limit $1)
           returning *
         )
         select taken.subtype, reader_user.user_id as "userId", to_json(taken.item_ids) as "itemIds",
                taken.feed
           from taken left join reader_user on reader_user.reader_id = taken.reader_id
          order by taken.place, taken.id`,
        [limit],
      );
      const events = taken.flatMap(({ userId, feed, ...event }) =>
        userId === null
          ? []
          : [{ ...event, userId, feed: feed && { ...feed, url: withoutCredentials(feed.url) } }],
      );
      await store(events, tx);
      return taken.length;
    });
  }

  /**
   * One process at a time moves events, in order. Jobs have the time at which their transaction began, so
   * it begins once the lock is held: jobs of two processes keep their order.
   */
  async #inTurn<Result>(work: (tx: SqlRunner) => Promise<Result>): Promise<Result> {
    return this.database.transaction(async (turn) => {
      await turn.query('select pg_advisory_xact_lock($1)', [NEWS_EVENTS_LOCK]);
      return this.database.transaction(work);
    });
  }

  /** Called after a restore, which recreates feeds that no user added. */
  async forget(): Promise<void> {
    await this.database.query('delete from news_event');
  }

  async itemsOf(
    userId: string,
    itemIds: readonly number[],
    mostBodyCharacters: number,
  ): Promise<NewsEventItem[] | null> {
    const { id: readerId } = await this.ids.of(userId);
    if (readerId === NO_READER) {
      return null;
    }
    const picked = `select item.* from item
                     where item.reader_id = $1 and item.id = any($2::bigint[])
                       and ${NOT_MARKED_FOR_DELETION}`;
    const columns = COLUMNS(mostBodyCharacters > 0 ? 'article.html' : 'null::text');
    const rows = await this.database.query<EventItemRow>(
      `select listed.id, guid, "guidHash", "feedId", feed.url as "feedUrl",
              coalesce(feed.title, source.title, '') as "feedTitle", feed.folder_id as "folderId",
              feed.folder, listed.title, listed.url, listed.author, "pubDate", unread, starred,
              labels, case when sum(length(body)) over (order by listed.id) <= $3::int then body end as body
         from (${withContents(picked, 'asc', columns)}) listed
         join (select s.id, s.source_id, s.url, s.title, s.folder_id, folder.name as folder
                 from subscription s
                 left join folder on folder.reader_id = $1 and folder.id = s.folder_id
                where s.reader_id = $1 offset 0) feed on feed.id = listed."feedId"
         join source on source.id = feed.source_id
        order by listed.id`,
      [readerId, itemIds, mostBodyCharacters],
    );
    return rows.map((row) => ({
      ...row,
      feedUrl: withoutCredentials(row.feedUrl),
      labels: row.labels ?? [],
    }));
  }

  async listenersAreSeen(): Promise<void> {
    const begun = Date.now();
    let open = await this.#changesUnderWay();
    while (open.length > 0) {
      if (Date.now() - begun > LONGEST_WAIT_MS) {
        throw new DatabaseUnavailable('busy');
      }
      await delay(LOOK_EVERY_MS);
      const still = await this.#changesUnderWay();
      open = open.filter((change) => still.includes(change));
    }
    // Changes that recorded events for them without knowing when they began did not announce them.
    await announceEvents(this.database);
  }

  async publishedAreStored(): Promise<void> {
    await this.database.query('select pg_advisory_xact_lock($1)', [NEWS_EVENTS_LOCK]);
  }

  /**
   * Open transactions that change something of a reader, or record events. Each has one of these locks
   * from before the snapshot with which it reads the wishes of listeners until it ends.
   */
  async #changesUnderWay(): Promise<string[]> {
    const rows = await this.database.query<{ change: string }>(
      `select distinct virtualtransaction as change from pg_locks
        where locktype = 'relation' and relation in ('reader'::regclass, 'news_event'::regclass)
          and database = (select oid from pg_database where datname = current_database())
          and mode <> 'AccessShareLock' and granted and pid <> pg_backend_pid()`,
    );
    return rows.map(({ change }) => change);
  }
}
