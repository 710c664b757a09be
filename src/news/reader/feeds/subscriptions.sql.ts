import { countUpTo } from '../../../database/count-up-to.js';
import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList } from '../../../database/select-list.js';
import { SourceEntity } from '../../sources/source.entity.js';
import { moveStamp } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { SubscriptionEntity } from './subscription.entity.js';

const SUBSCRIPTION = selectList(SubscriptionEntity, 's', [
  'id',
  'url',
  'folderId',
  'ordering',
  'pinned',
  'fullText',
  'updateMode',
  'unreadCount',
  'starredCount',
]);
const SOURCE = selectList(SourceEntity, 'source', ['link', 'iconUrl', 'iconId']);

/** A feed of the API: a subscription with what its source says about it. Times are unix seconds. */
export type FeedRow = Readonly<
  Pick<
    SubscriptionEntity,
    | 'id'
    | 'url'
    | 'folderId'
    | 'ordering'
    | 'pinned'
    | 'fullText'
    | 'updateMode'
    | 'unreadCount'
    | 'starredCount'
  > &
    Pick<SourceEntity, 'link' | 'iconUrl' | 'iconId'>
> & {
  /** The user's or the publisher's; may be empty. */
  readonly title: string;
  readonly addedSeconds: number;
  readonly nextUpdateSeconds: number | null;
  readonly updateErrorCount: number;
  readonly lastUpdateError: string | null;
};

const FEEDS = `
  select ${SUBSCRIPTION}, ${SOURCE}, coalesce(s.title, source.title) as title,
         extract(epoch from s.added_at)::bigint as "addedSeconds",
         extract(epoch from source_schedule.due_at)::bigint as "nextUpdateSeconds",
         source.error_count as "updateErrorCount", source.last_error as "lastUpdateError"
    from subscription s
    join source on source.id = s.source_id
    left join source_schedule on source_schedule.source_id = source.id
   where s.reader_id = $1 and s.deleted_at is null`;

const LIST = prepared(
  'list-feeds',
  `select feed.*, (select max(id) from item where reader_id = $1) as "newestItemId"
     from (${FEEDS}) feed order by lower(feed.title), feed.id`,
);

/**
 * By title, each row with the reader's highest item id. Reads no items but that one, see
 * `kept-counts.sql.ts`.
 */
export async function listFeeds(
  runner: SqlRunner,
  readerId: number,
): Promise<(FeedRow & { readonly newestItemId: number | null })[]> {
  return runner.query(LIST, [readerId]);
}

export async function findFeed(
  runner: SqlRunner,
  readerId: number,
  feedId: number,
): Promise<FeedRow | null> {
  const [feed] = await runner.query<FeedRow>(`${FEEDS} and s.id = $2`, [readerId, feedId]);
  return feed ?? null;
}

/** A feed of the user, and one of the addresses that it was sought at. */
export type FollowedFeed = Pick<FeedRow, 'id' | 'url'> & { readonly address: string };

/**
 * Feeds of the reader that are fetched from these addresses, or that redirect permanently to them; exact
 * ones last.
 *
 * @param addresses normalised
 */
export async function listFollowedAt(
  runner: SqlRunner,
  readerId: number,
  addresses: readonly string[],
): Promise<FollowedFeed[]> {
  return runner.query<FollowedFeed>(
    `select s.id, s.url, its.address
       from subscription s
       join source on source.id = s.source_id
      cross join lateral (
         values (source.url), (coalesce(source.moving_to, source.effective_url))
         ) its (address)
      where s.reader_id = $1 and s.deleted_at is null and its.address = any($2::text[])
      order by source.url = its.address, source.access is null and source.item_rule = 'automatic'`,
    [readerId, addresses],
  );
}

/** Counts marked ones as well, and no further than `most`. */
export async function countSubscriptions(
  tx: SqlRunner,
  readerId: number,
  most: number,
): Promise<number> {
  return countUpTo(tx, 'subscription where reader_id = $1', [readerId], most);
}

export interface NewSubscription {
  readonly sourceId: number;
  readonly folderId: number | null;
  readonly url: string;
  /** Newest items that the first delivery leaves unread; default all. */
  readonly startUnread?: number | null;
}

/** A subscription of a bulk import; its source may never have been fetched. */
export interface ImportedSubscription extends NewSubscription {
  /** The user's title elsewhere; dropped once it turns out to be the publisher's. */
  readonly title: string | null;
}

/** Subscribing again ends the chance to undo an earlier deletion. */
export async function removeMarkedOfSources(
  tx: SqlRunner,
  readerId: number,
  sourceIds: readonly number[],
): Promise<void> {
  await tx.query(
    `delete from subscription
      where reader_id = $1 and source_id = any($2::bigint[]) and deleted_at is not null`,
    [readerId, sourceIds],
  );
}

/** At most one, marked for deletion or not. */
export async function listOtherFeedsOfSource(
  tx: SqlRunner,
  readerId: number,
  feedId: number,
  sourceId: number,
): Promise<{ readonly isMarked: boolean }[]> {
  return tx.query(
    `select deleted_at is not null as "isMarked" from subscription
      where reader_id = $1 and source_id = $2 and id <> $3`,
    [readerId, sourceId, feedId],
  );
}

/** @returns null when the reader follows the source already */
export async function insertSubscription(
  tx: SqlRunner,
  readerId: number,
  { sourceId, folderId, url, startUnread }: NewSubscription,
): Promise<number | null> {
  const [row] = await tx.query<{ id: number }>(
    `insert into subscription (reader_id, source_id, folder_id, url, start_unread)
     values ($1, $2, $3, $4, $5)
     on conflict (reader_id, source_id) do nothing returning id`,
    [readerId, sourceId, folderId, url, startUnread ?? null],
  );
  return row?.id ?? null;
}

/** @returns how many were created: sources that the reader follows already are skipped */
export async function insertSubscriptions(
  tx: SqlRunner,
  readerId: number,
  wanted: readonly ImportedSubscription[],
): Promise<number> {
  const rows = await tx.query(
    `insert into subscription (reader_id, source_id, folder_id, url, title, start_unread,
                               delivered_rev, started_rev)
     select $1, source.id, given.folder_id, given.url, nullif(given.title, source.title),
            given.start_unread,
            case when document.source_id is null then 0 else -1 end,
            case when document.source_id is null then 0 end
       from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::int[])
            with ordinality as given (source_id, folder_id, url, title, start_unread, place)
       join source on source.id = given.source_id
       left join source_document document on document.source_id = source.id
      order by given.place
     on conflict (reader_id, source_id) do nothing returning id`,
    [
      readerId,
      wanted.map(({ sourceId }) => sourceId),
      wanted.map(({ folderId }) => folderId),
      wanted.map(({ url }) => url),
      wanted.map(({ title }) => title),
      wanted.map(({ startUnread }) => startUnread ?? null),
    ],
  );
  return rows.length;
}

/** @returns those of the keys (hexadecimal) whose source the reader follows, with or without headers */
export async function listFollowedKeys(
  tx: SqlRunner,
  readerId: number,
  urlKeys: readonly Buffer[],
): Promise<string[]> {
  const rows = await tx.query<{ urlKey: string }>(
    `select encode(source.url_key, 'hex') as "urlKey"
       from source join subscription s on s.source_id = source.id
      where source.url_key = any($2::bytea[]) and s.reader_id = $1 and s.deleted_at is null
      union all
     select encode(sha256(convert_to(source.url, 'UTF8')), 'hex')
       from subscription s join source on source.id = s.source_id
      where s.reader_id = $1 and s.deleted_at is null and source.access is not null`,
    [readerId, urlKeys],
  );
  return rows.map(({ urlKey }) => urlKey);
}

/** The settings of one feed; absent ones keep their value. */
export interface FeedSettings {
  readonly fullText?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  /** 0 no special order, 1 oldest first, 2 newest first. */
  readonly ordering?: number | undefined;
  /** 0 a changed article keeps its unread flag, 1 it becomes unread. */
  readonly updateMode?: number | undefined;
  /** Hours between fetches, 1 to 168; null follows the feed's rhythm. */
  readonly fetchEveryHours?: number | null | undefined;
}

/** @returns whether items now show another body; null without such a feed */
export async function updateSettings(
  tx: SqlRunner,
  readerId: number,
  feedId: number,
  { fullText, pinned, ordering, updateMode, fetchEveryHours }: FeedSettings,
): Promise<boolean | null> {
  const [changed] = await tx.query<{ showsOtherBodies: boolean }>(
    `update subscription s
        set full_text = coalesce($3, s.full_text), pinned = coalesce($4, s.pinned),
            ordering = coalesce($5, s.ordering), update_mode = coalesce($6, s.update_mode),
            fetch_every_hours = case when $7 then $8 else s.fetch_every_hours end
       from subscription former
      where former.reader_id = $1 and former.id = $2
        and s.reader_id = $1 and s.id = $2 and s.deleted_at is null
     returning s.full_text <> former.full_text as "showsOtherBodies"`,
    [
      readerId,
      feedId,
      fullText ?? null,
      pinned ?? null,
      ordering ?? null,
      updateMode ?? null,
      fetchEveryHours !== undefined,
      fetchEveryHours ?? null,
    ],
  );
  return changed?.showsOtherBodies ?? null;
}

/** Stamps the items of a feed that have a full text. */
export async function stampFullTextItems(
  tx: SqlRunner,
  reader: LockedReader,
  feedId: number,
): Promise<void> {
  const sources = await tx.query<{ id: number }>(
    `select source_id as id from subscription where reader_id = $1 and id = $2
      union all
     select source_id from former_source where reader_id = $1 and subscription_id = $2`,
    [reader.id, feedId],
  );
  const articles = await tx.query<{ id: number }>(
    `select article.id
       from article
       join article_body body on body.source_id = article.source_id
                             and body.article_id = article.id
      where article.source_id = any($1::bigint[]) and article.full_text_rev is not null
        and body.full_text_html is not null`,
    [sources.map(({ id }) => id)],
  );
  if (articles.length === 0) {
    return;
  }
  await tx.query(
    `with changed as (
       update item set last_modified_micros = $2
        where reader_id = $1 and subscription_id = $3 and article_id = any($4::bigint[])
       returning 1)
     update reader set ${moveStamp('$2')} where id = $1 and exists (select 1 from changed)`,
    [reader.id, reader.stampMicros, feedId, articles.map(({ id }) => id)],
  );
}

/** At the transaction's now(). @returns whether the feed existed */
export async function markSubscription(
  tx: SqlRunner,
  readerId: number,
  feedId: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update subscription set deleted_at = now()
      where reader_id = $1 and id = $2 and deleted_at is null returning id`,
    [readerId, feedId],
  );
  return rows.length > 0;
}

/** A feed whose folder is still marked moves to the root. @returns whether it was marked */
export async function unmarkSubscription(
  tx: SqlRunner,
  readerId: number,
  feedId: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update subscription s
        set deleted_at = null,
            folder_id = (select id from folder
                          where reader_id = $1 and id = s.folder_id and deleted_at is null)
      where reader_id = $1 and id = $2 and deleted_at is not null returning id`,
    [readerId, feedId],
  );
  return rows.length > 0;
}

/** @returns how many were removed */
export async function purgeSubscriptions(
  tx: SqlRunner,
  readerId: number,
  graceSeconds: number,
): Promise<number> {
  const rows = await tx.query(
    `delete from subscription
      where reader_id = $1 and deleted_at <= now() - make_interval(secs => $2) returning id`,
    [readerId, graceSeconds],
  );
  return rows.length;
}

/** Users who have folders or feeds that were marked for deletion at least `graceSeconds` ago. */
export async function listUsersWithMarked(
  runner: SqlRunner,
  graceSeconds: number,
): Promise<string[]> {
  const rows = await runner.query<{ userId: string }>(
    `select user_id as "userId" from reader_user
      where reader_id in (select reader_id from subscription
                    where deleted_at <= now() - make_interval(secs => $1)
                   union select reader_id from folder
                    where deleted_at <= now() - make_interval(secs => $1))
      order by reader_id`,
    [graceSeconds],
  );
  return rows.map(({ userId }) => userId);
}
