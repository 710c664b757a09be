import type { SqlRunner } from '../../database/database.js';
import type { NewsEvent, NewsEventItem } from '../../common/ports/news-events.js';
import { NOT_MARKED_FOR_DELETION, withContents } from '../reader/items/item-list.sql.js';

/** Keeps our advisory lock apart from those of other programs in the same database. */
const DISPATCH_LOCK = 4_706_000_000_000_037;

/** Held until the end of the transaction: events are moved by one process at a time, in their order. */
export async function lockDispatch(tx: SqlRunner): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [DISPATCH_LOCK]);
}

/** A removed event; `userId` is null when the user is gone. */
export type TakenEvent = Omit<NewsEvent, 'userId'> & { readonly userId: string | null };

/**
 * Removes the oldest events. Those that are spread over servers are asked of all, so that Citus commits
 * the removal in two phases: exactly if what the caller does with them is committed.
 *
 * @returns at most `limit`, those of a user in their order
 */
export async function takeEvents(tx: SqlRunner, limit: number): Promise<TakenEvent[]> {
  return tx.query<TakenEvent>(
    `with taken as (
       delete from news_event where id in (select id from news_event order by place, id limit $1)
       returning *
     )
     select taken.subtype, reader_user.user_id as "userId", to_json(taken.item_ids) as "itemIds",
            taken.feed
       from taken left join reader_user on reader_user.reader_id = taken.reader_id order by taken.place, taken.id`,
    [limit],
  );
}

export async function removeEvents(runner: SqlRunner): Promise<void> {
  await runner.query('delete from news_event');
}

const COLUMNS = (body: string) => `
  item.id, item.unread, item.starred, item.subscription_id as "feedId", article.guid,
  encode(article.guid_hash, 'hex') as "guidHash", article.title, article.url, article.author,
  article.pub_date_seconds as "pubDate", item.labels, ${body} as body`;

/** An item whose address may have credentials. */
export type EventItemRow = Omit<NewsEventItem, 'labels'> & {
  readonly labels: readonly string[] | null;
};

export async function listEventItems(
  runner: SqlRunner,
  readerId: number,
  itemIds: readonly number[],
  mostBodyCharacters: number,
): Promise<EventItemRow[]> {
  const picked = `select item.* from item
                   where item.reader_id = $1 and item.id = any($2::bigint[])
                     and ${NOT_MARKED_FOR_DELETION}`;
  const columns = COLUMNS(mostBodyCharacters > 0 ? 'article.html' : 'null::text');
  return runner.query<EventItemRow>(
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
}

/**
 * Open transactions that change something of a reader, or record events. Each has one of these locks
 * from before the snapshot with which it reads the wishes of listeners until it ends.
 */
export async function listChangesUnderWay(runner: SqlRunner): Promise<string[]> {
  const rows = await runner.query<{ change: string }>(
    `select distinct virtualtransaction as change from pg_locks
      where locktype = 'relation' and relation in ('reader'::regclass, 'news_event'::regclass)
        and database = (select oid from pg_database where datname = current_database())
        and mode <> 'AccessShareLock' and granted and pid <> pg_backend_pid()`,
  );
  return rows.map(({ change }) => change);
}
