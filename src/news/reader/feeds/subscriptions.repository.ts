import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../../database/database.js';

/** A user's subscription as clients see it: a *feed* of the API. Times are unix seconds. */
export interface Feed {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly link: string | null;
  readonly iconUrl: string | null;
  readonly addedSeconds: number;
  readonly nextUpdateSeconds: number | null;
  readonly folderId: number | null;
  readonly unreadCount: number;
  /** 0 no special ordering, 1 oldest first, 2 newest first. */
  readonly ordering: number;
  readonly pinned: boolean;
  /** Whether items show the text of their page in place of what the feed says. */
  readonly fullText: boolean;
  /** 0 a changed article keeps its unread flag, 1 it becomes unread again. */
  readonly updateMode: number;
  readonly updateErrorCount: number;
  readonly lastUpdateError: string | null;
}

export interface FeedOwner {
  readonly feedId: number;
  readonly userId: string;
}

/** What an updater has to know before it asks a publisher on behalf of one feed. */
export interface UpdateRequest {
  readonly sourceId: number;
  /** Whether the publisher was asked for another feed of this round, after this one was served. */
  readonly askedSinceServed: boolean;
}

export interface NewSubscription {
  readonly sourceId: number;
  readonly folderId: number | null;
  readonly url: string;
}

/** One of many subscriptions made at once, to a source that may never have been fetched. */
export interface ImportedSubscription extends NewSubscription {
  /** What the user called it elsewhere; dropped as soon as it turns out to be the publisher's title. */
  readonly title: string | null;
}

/** A line of an export: a feed and its folder, or a folder in which there is none. */
export interface ExportedFeed {
  readonly folderId: number | null;
  readonly folderName: string | null;
  readonly url: string | null;
  readonly title: string | null;
  readonly link: string | null;
}

/** How many of a user's feeds were fetched at least once, and how many could not be read lately. */
export interface FetchProgress {
  readonly feeds: number;
  readonly fetched: number;
  readonly failing: number;
}

/** A feed that could not be read when it was fetched last. */
export interface FailingFeed {
  readonly feedId: number;
  /** The user's or the publisher's; empty while nobody named it. */
  readonly title: string;
  readonly url: string;
  readonly reason: string;
}

const EXPORTED_AT_A_TIME = 200;

/** Users' subscriptions. Those marked for deletion are hidden everywhere but from `purgeDeleted`. */
@Injectable()
export class SubscriptionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * All feeds of a user by title, with unread counts. Counts ride on item_unread_index, an
   * index-only scan over the user's unread items.
   */
  async list(readerId: number): Promise<Feed[]> {
    return this.database.query<Feed>(
      `${FEED_COLUMNS} where s.reader_id = $1 and s.deleted_at is null
      order by lower(coalesce(s.title, source.title)), s.id`,
      [readerId],
    );
  }

  async find(readerId: number, feedId: number): Promise<Feed | null> {
    const [feed] = await this.database.query<Feed>(
      `${FEED_COLUMNS} where s.reader_id = $1 and s.id = $2 and s.deleted_at is null`,
      [readerId, feedId],
    );
    return feed ?? null;
  }

  async exists(tx: SqlRunner, readerId: number, feedId: number): Promise<boolean> {
    const rows = await tx.query(
      'select 1 from subscription where reader_id = $1 and id = $2 and deleted_at is null',
      [readerId, feedId],
    );
    return rows.length > 0;
  }

  /** The user's feed of the source with this key; null when the user does not follow it. */
  async idByAddress(readerId: number, urlKey: Buffer): Promise<number | null> {
    const [row] = await this.database.query<{ id: number }>(
      `select s.id from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and source.url_key = $2 and s.deleted_at is null`,
      [readerId, urlKey],
    );
    return row?.id ?? null;
  }

  /** The source behind one of the user's feeds; null when there is no such feed. */
  async sourceOf(readerId: number, feedId: number): Promise<number | null> {
    const [row] = await this.database.query<{ sourceId: number }>(
      `select source_id as "sourceId" from subscription
        where reader_id = $1 and id = $2 and deleted_at is null`,
      [readerId, feedId],
    );
    return row?.sourceId ?? null;
  }

  /** Those to be removed included; counted no further than `most`. */
  async count(tx: SqlRunner, readerId: number, most: number): Promise<number> {
    return countUpTo(tx, 'subscription where reader_id = $1', [readerId], most);
  }

  /** @returns the new feed's id, or null when the user already follows the source */
  async create(
    tx: SqlRunner,
    readerId: number,
    { sourceId, folderId, url }: NewSubscription,
  ): Promise<number | null> {
    // Subscribing again gives up the chance to undo an earlier deletion.
    await tx.query(
      'delete from subscription where reader_id = $1 and source_id = $2 and deleted_at is not null',
      [readerId, sourceId],
    );
    const [row] = await tx.query<{ id: number }>(
      `insert into subscription (reader_id, source_id, folder_id, url) values ($1, $2, $3, $4)
       on conflict (reader_id, source_id) do nothing returning id`,
      [readerId, sourceId, folderId, url],
    );
    return row?.id ?? null;
  }

  /** Those of many feeds that the user does not follow. */
  async notYetFollowed<Wanted extends { readonly urlKey: Buffer }>(
    tx: SqlRunner,
    readerId: number,
    wanted: readonly Wanted[],
  ): Promise<Wanted[]> {
    const rows = await tx.query<{ urlKey: string }>(
      `select encode(source.url_key, 'hex') as "urlKey"
         from source join subscription s on s.source_id = source.id
        where source.url_key = any($2::bytea[]) and s.reader_id = $1 and s.deleted_at is null`,
      [readerId, wanted.map(({ urlKey }) => urlKey)],
    );
    const followed = new Set(rows.map(({ urlKey }) => urlKey));
    return wanted.filter(({ urlKey }) => !followed.has(urlKey.toString('hex')));
  }

  /**
   * Many subscriptions at once; sources the user follows already are passed over. A source that
   * was never read delivers all that its first fetches bring, others what the publisher lists now.
   *
   * @returns how many were created
   */
  async createMany(
    tx: SqlRunner,
    readerId: number,
    wanted: readonly ImportedSubscription[],
  ): Promise<number> {
    const sourceIds = wanted.map(({ sourceId }) => sourceId);
    // As in `create`: subscribing again gives up the chance to undo an earlier deletion.
    await tx.query(
      `delete from subscription
        where reader_id = $1 and source_id = any($2::bigint[]) and deleted_at is not null`,
      [readerId, sourceIds],
    );
    const rows = await tx.query(
      `insert into subscription (reader_id, source_id, folder_id, url, title, delivered_rev, started_rev)
       select $1, source.id, given.folder_id, given.url, nullif(given.title, source.title),
              case when document.source_id is null then 0 else -1 end,
              case when document.source_id is null then 0 end
         from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[])
              with ordinality as given (source_id, folder_id, url, title, place)
         join source on source.id = given.source_id
         left join source_document document on document.source_id = source.id
        order by given.place
       on conflict (reader_id, source_id) do nothing returning id`,
      [
        readerId,
        sourceIds,
        wanted.map(({ folderId }) => folderId),
        wanted.map(({ url }) => url),
        wanted.map(({ title }) => title),
      ],
    );
    return rows.length;
  }

  async move(
    tx: SqlRunner,
    readerId: number,
    feedId: number,
    folderId: number | null,
  ): Promise<boolean> {
    const rows = await tx.query(
      `update subscription set folder_id = $3
        where reader_id = $1 and id = $2 and deleted_at is null returning id`,
      [readerId, feedId, folderId],
    );
    return rows.length > 0;
  }

  /** @param title null follows the publisher's */
  async rename(
    tx: SqlRunner,
    readerId: number,
    feedId: number,
    title: string | null,
  ): Promise<boolean> {
    const rows = await tx.query(
      `update subscription set title = $3
        where reader_id = $1 and id = $2 and deleted_at is null returning id`,
      [readerId, feedId, title],
    );
    return rows.length > 0;
  }

  /** Takes the feed's items along. */
  async remove(tx: SqlRunner, readerId: number, feedId: number): Promise<boolean> {
    const rows = await tx.query(
      `delete from subscription
        where reader_id = $1 and id = $2 and deleted_at is null returning id`,
      [readerId, feedId],
    );
    return rows.length > 0;
  }

  /** Hides the feed with its items until `restore`, or until it is removed for good. */
  async markDeleted(tx: SqlRunner, readerId: number, feedId: number): Promise<boolean> {
    const rows = await tx.query(
      `update subscription set deleted_at = now()
        where reader_id = $1 and id = $2 and deleted_at is null returning id`,
      [readerId, feedId],
    );
    return rows.length > 0;
  }

  /**
   * Takes the mark away again. A feed whose folder is still marked comes back to the root.
   *
   * @returns whether there was such a mark
   */
  async restore(tx: SqlRunner, readerId: number, feedId: number): Promise<boolean> {
    const rows = await tx.query(
      `update subscription s
          set deleted_at = null,
              folder_id = (select id from folder where id = s.folder_id and deleted_at is null)
        where reader_id = $1 and id = $2 and deleted_at is not null returning id`,
      [readerId, feedId],
    );
    return rows.length > 0;
  }

  /** Removes what this user marked for deletion at least `graceSeconds` ago. */
  async purgeDeleted(tx: SqlRunner, readerId: number, graceSeconds: number): Promise<number> {
    const rows = await tx.query(
      `delete from subscription
        where reader_id = $1 and deleted_at <= now() - make_interval(secs => $2) returning id`,
      [readerId, graceSeconds],
    );
    return rows.length;
  }

  /** Users who have folders or feeds that were marked for deletion at least `graceSeconds` ago. */
  async usersWithDeleted(graceSeconds: number): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `select user_id as "userId" from reader
        where id in (select reader_id from subscription
                      where deleted_at <= now() - make_interval(secs => $1)
                     union select reader_id from folder
                      where deleted_at <= now() - make_interval(secs => $1))
        order by id`,
      [graceSeconds],
    );
    return rows.map(({ userId }) => userId);
  }

  /** A user's feeds for a file: those without a folder first, then folder by folder. */
  export(readerId: number): AsyncIterable<ExportedFeed[]> {
    return this.database.stream<ExportedFeed>(
      `select place.id as "folderId", place.name as "folderName", s.url,
              coalesce(s.title, source.title) as title, source.link
         from (select null::bigint as id, null::text as name
               union all
               select id, name from folder where reader_id = $1 and deleted_at is null) place
         left join (subscription s join source on source.id = s.source_id)
                on coalesce(s.folder_id, 0) = coalesce(place.id, 0)
               and s.reader_id = $1 and s.deleted_at is null
        order by place.id is not null, lower(place.name), place.id,
                 lower(coalesce(s.title, source.title)), s.id`,
      [readerId],
      EXPORTED_AT_A_TIME,
    );
  }

  /** Id of the newest feed that the reader ever had; later ones have higher ids. */
  async newestId(readerId: number): Promise<number> {
    const [newest] = await this.database.query<{ id: number }>(
      'select coalesce(max(id), 0) as id from subscription where reader_id = $1',
      [readerId],
    );
    return newest?.id ?? 0;
  }

  /** @param afterFeedId only of feeds with a higher id */
  async fetchProgress(readerId: number, afterFeedId: number): Promise<FetchProgress> {
    const [progress] = await this.database.query<FetchProgress>(
      `select count(*)::int as feeds, count(source.fetched_at)::int as fetched,
              count(*) filter (where source.error_count > 0)::int as failing
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.id > $2 and s.deleted_at is null`,
      [readerId, afterFeedId],
    );
    return progress ?? { feeds: 0, fetched: 0, failing: 0 };
  }

  /** In the order in which they were added. @param afterFeedId only those with a higher id */
  async failing(readerId: number, afterFeedId: number, limit: number): Promise<FailingFeed[]> {
    return this.database.query<FailingFeed>(
      `select s.id as "feedId", coalesce(s.title, source.title) as title, s.url,
              coalesce(source.last_error, '') as reason
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.id > $2 and s.deleted_at is null and source.error_count > 0
        order by s.id limit $3`,
      [readerId, afterFeedId, limit],
    );
  }

  /** Which feed of each of these readers follows the source. */
  async feedsOfSource(
    sourceId: number,
    readerIds: readonly number[],
  ): Promise<{ readonly readerId: number; readonly feedId: number }[]> {
    return this.database.query(
      `select reader_id as "readerId", id as "feedId" from subscription
        where source_id = $1 and reader_id = any($2::bigint[]) and deleted_at is null`,
      [sourceId, readerIds],
    );
  }

  /** Every feed of every user. */
  async owners(): Promise<FeedOwner[]> {
    return this.database.query<FeedOwner>(
      `select s.id as "feedId", reader.user_id as "userId"
         from subscription s join reader on reader.id = s.reader_id
        where s.deleted_at is null
        order by s.id`,
    );
  }

  /** @returns null when the user has no such feed */
  async findForUpdate(userId: string, feedId: number): Promise<UpdateRequest | null> {
    const [request] = await this.database.query<UpdateRequest>(
      `select s.source_id as "sourceId",
              coalesce(source.asked_at > coalesce(s.update_served_at, s.added_at)
                       and source.asked_at > now() - make_interval(secs => $3), false)
                as "askedSinceServed"
         from subscription s
         join reader on reader.id = s.reader_id
         join source on source.id = s.source_id
        where reader.user_id = $1 and s.id = $2 and s.deleted_at is null`,
      [userId, feedId, ROUND_SECONDS],
    );
    return request ?? null;
  }

  /** Notes that an updater's request for this feed was served. */
  async noteUpdateServed(feedId: number): Promise<void> {
    await this.database.query('update subscription set update_served_at = now() where id = $1', [
      feedId,
    ]);
  }
}

/** No round of an updater over all feeds of all users counts as one for longer than this. */
const ROUND_SECONDS = 900;

const FEED_COLUMNS = `
  select s.id, s.url, coalesce(s.title, source.title) as title, source.link,
         source.icon_url as "iconUrl",
         extract(epoch from s.added_at)::bigint as "addedSeconds",
         extract(epoch from source_schedule.due_at)::bigint as "nextUpdateSeconds",
         s.folder_id as "folderId",
         coalesce(unread.count, 0)::int as "unreadCount",
         s.ordering, s.pinned, s.full_text as "fullText", s.update_mode as "updateMode",
         source.error_count as "updateErrorCount", source.last_error as "lastUpdateError"
    from subscription s
    join source on source.id = s.source_id
    left join source_schedule on source_schedule.source_id = source.id
    left join (select subscription_id, count(*) from item where reader_id = $1 and unread
                group by subscription_id) unread on unread.subscription_id = s.id`;
