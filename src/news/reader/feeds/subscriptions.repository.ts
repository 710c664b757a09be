import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../database/count-up-to.js';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FeedAlreadyExists, FeedOfGroup, MandatoryFeed } from '../../news.errors.js';
import type { FeedAddress } from '../../sources/feed-address.js';
import { hastenWanted } from '../../sources/schedule/schedule.sql.js';
import { SourceEntity } from '../../tables/source.entity.js';
import { SubscriptionEntity } from '../../tables/subscription.entity.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { FoldersRepository, giveAgain, MAY_RETURN } from '../folders/folders.repository.js';

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

/** A feed of the API: a subscription with data of its source. Times are unix seconds. */
export type Feed = RowOf<typeof SUBSCRIPTION> &
  RowOf<typeof SOURCE> & {
    /** The user's or the publisher's; may be empty. */
    readonly title: string;
    readonly addedSeconds: number;
    readonly nextUpdateSeconds: number | null;
    readonly updateErrorCount: number;
    readonly lastUpdateError: string | null;
    /** Where it is fetched from, if not from `url`; empty with headers of its own. */
    readonly place: string | null;
    /** Whether its publisher moved it to `place`. */
    readonly hasMoved: boolean;
  };

const FEEDS = `
  select ${SUBSCRIPTION}, ${SOURCE}, coalesce(s.title, source.title) as title,
         extract(epoch from s.added_at)::bigint as "addedSeconds",
         extract(epoch from source_schedule.due_at)::bigint as "nextUpdateSeconds",
         source.error_count as "updateErrorCount", source.last_error as "lastUpdateError",
         case when source.access is null then coalesce(source.effective_url, nullif(source.url, s.url))
              else '' end as place,
         source.access is null and source.effective_url is not null as "hasMoved"
    from subscription s
    join source on source.id = s.source_id
    left join source_schedule on source_schedule.source_id = source.id
   where s.reader_id = $1 and s.deleted_at is null`;

/** Publishers and owners decide about addresses and titles of thousands of feeds. */
export const MOST_BYTES_OF_A_LIST = 24 * 1024 * 1024;

const LIST = prepared(
  'list-feeds',
  `select feed.*, (select max(id) from item where reader_id = $1) as "newestItemId"
     from (select feed.*, sum(octet_length(url) + octet_length(title) + coalesce(octet_length(link), 0)
                              + coalesce(octet_length("iconUrl"), 0)) over () as bytes
             from (${FEEDS}) feed) feed
    where bytes <= ${MOST_BYTES_OF_A_LIST} order by feed.pinned desc, lower(feed.title), feed.id`,
);

/** A feed of the user, and one of the addresses that it was sought at. */
type FollowedFeed = Pick<Feed, 'id' | 'url' | 'title'> & { readonly address: string };

/** What a group has to do with a feed of one of its members. */
interface Giving {
  readonly title: string;
  readonly isMandatory: boolean;
  /** Whether the user follows it without the group as well. */
  readonly isOwn: boolean;
  /** Whether it is fetched with headers of its own. */
  readonly hasAccess: boolean;
}

interface NewSubscription {
  readonly sourceId: number;
  readonly folderId: number | null;
  readonly url: string;
  /** Newest items that the first delivery leaves unread; default all. */
  readonly startUnread?: number | null;
}

/** A subscription of a bulk import; its source may never have been fetched. */
interface ImportedSubscription extends NewSubscription {
  /** The user's title elsewhere; dropped once it turns out to be the publisher's. */
  readonly title: string | null;
  /** Default false. */
  readonly fullText?: boolean;
}

/** A new follower of a source that others want to be fetched seldom waits no longer than this. */
export const FIRST_WAIT_SECONDS = 3600;

/** Users' subscriptions. Only `restore` and `purgeDeleted` see the ones marked for deletion. */
@Injectable()
export class SubscriptionsRepository {
  constructor(
    private readonly database: Database,
    private readonly folders: FoldersRepository,
  ) {}

  /**
   * All feeds of a user, pinned ones first, by title, with counts; each with the user's highest item id. Reads no items but
   * that one, see `kept-counts.sql.ts`. None if they are larger than `MOST_BYTES_OF_A_LIST` together.
   */
  async list(readerId: number): Promise<(Feed & { readonly newestItemId: number | null })[]> {
    return this.database.query(LIST, [readerId]);
  }

  async hasAny(readerId: number): Promise<boolean> {
    const rows = await this.database.query(
      'select 1 from subscription where reader_id = $1 and deleted_at is null limit 1',
      [readerId],
    );
    return rows.length > 0;
  }

  /** @param tx to read in a transaction */
  async find(
    readerId: number,
    feedId: number,
    tx: SqlRunner = this.database,
  ): Promise<Feed | null> {
    const [feed] = await tx.query<Feed>(`${FEEDS} and s.id = $2`, [readerId, feedId]);
    return feed ?? null;
  }

  /** @param tx to read in a transaction */
  async exists(readerId: number, feedId: number, tx?: Transaction): Promise<boolean> {
    const count =
      tx === undefined
        ? await this.database.entities((em) =>
            em.count(SubscriptionEntity, present(readerId, feedId)),
          )
        : await tx.em.count(SubscriptionEntity, present(readerId, feedId));
    return count > 0;
  }

  /**
   * The user's feeds that are fetched from these addresses, or that redirect permanently to them, by the
   * address.
   *
   * @param addresses normalised
   * @param tx to read in a transaction
   * @param exceptId a feed that is not looked at
   */
  async followedAt(
    readerId: number,
    addresses: readonly string[],
    tx: SqlRunner = this.database,
    exceptId = 0,
  ): Promise<ReadonlyMap<string, FollowedFeed>> {
    // Exact ones last.
    const found = await tx.query<FollowedFeed>(
      `select s.id, s.url, coalesce(s.title, source.title) as title, its.address
         from subscription s
         join source on source.id = s.source_id
        cross join lateral (
           values (source.url), (coalesce(source.moving_to, source.effective_url))
           ) its (address)
        where s.reader_id = $1 and s.deleted_at is null and s.id <> $3
          and its.address = any($2::text[])
        order by source.url = its.address, source.access is null and source.item_rule = 'automatic'`,
      [readerId, addresses, exceptId],
    );
    return new Map(found.map((feed) => [feed.address, feed]));
  }

  /**
   * Refuses addresses of feeds that the user has, also by a permanent redirect.
   *
   * @param exceptId a feed that may be there
   * @throws FeedAlreadyExists
   */
  async assertNew(
    readerId: number,
    addresses: readonly FeedAddress[],
    tx?: SqlRunner,
    exceptId?: number,
  ): Promise<void> {
    const places = addresses.map(({ href }) => href);
    const followed = await this.followedAt(readerId, places, tx, exceptId);
    for (const feed of followed.values()) {
      throw new FeedAlreadyExists(feed);
    }
  }

  /** The source of one of the user's feeds; null without such a feed. */
  async sourceOf(readerId: number, feedId: number): Promise<number | null> {
    const found = await this.database.entities((em) =>
      em.findOne(SubscriptionEntity, present(readerId, feedId), { fields: ['sourceId'] }),
    );
    return found?.sourceId ?? null;
  }

  /** Sources that feeds have or had. */
  async sourcesOf(readerId: number, feedIds: readonly number[], tx: SqlRunner): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      `select source_id as id from subscription where reader_id = $1 and id = any($2::bigint[])
        union
       select source_id from former_source where reader_id = $1 and subscription_id = any($2::bigint[])`,
      [readerId, feedIds],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Includes subscriptions marked for deletion, but not those that only groups give; counts no further than `most`.
   */
  async count(readerId: number, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'subscription where reader_id = $1 and is_own', [readerId], most);
  }

  /** What a group has to do with a feed; null if none gives it, or there is no such feed. */
  async givingOf(readerId: number, feedId: number, tx: SqlRunner): Promise<Giving | null> {
    const [giving] = await tx.query<Giving>(
      `select coalesce(s.title, nullif(source.title, ''), s.url) as title, s.is_mandatory as "isMandatory",
              s.is_own as "isOwn", source.access is not null as "hasAccess"
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.id = $2 and s.deleted_at is null
          and s.group_feed_id is not null`,
      [readerId, feedId],
    );
    return giving ?? null;
  }

  /** @throws FeedOfGroup */
  async assertNotGiven(readerId: number, feedId: number, tx: SqlRunner): Promise<void> {
    const giving = await this.givingOf(readerId, feedId, tx);
    if (giving !== null) {
      throw new FeedOfGroup(giving.title);
    }
  }

  /**
   * Hides a feed that a group recommends, until `restore`.
   *
   * @returns false if no group gives it @throws MandatoryFeed
   */
  async hideGiven(readerId: number, feedId: number, tx: SqlRunner): Promise<boolean> {
    const giving = await this.givingOf(readerId, feedId, tx);
    if (giving === null) {
      return false;
    }
    if (giving.isMandatory) {
      throw new MandatoryFeed(giving.title);
    }
    await tx.query(
      `update subscription set deleted_at = now(), kept_until = 'infinity', is_own = false
        where reader_id = $1 and id = $2`,
      [readerId, feedId],
    );
    // Its place is no longer the user's.
    await (giving.isOwn ? giveAgain(readerId, tx) : undefined);
    return true;
  }

  /** @returns the new feed's id, or null when the user already follows the source */
  async create(
    readerId: number,
    { sourceId, folderId, url, startUnread }: NewSubscription,
    tx: SqlRunner,
  ): Promise<number | null> {
    await this.removeMarked(readerId, [sourceId], tx);
    const [row] = await tx.query<{ id: number }>(
      `insert into subscription (reader_id, source_id, folder_id, url, start_unread)
       values ($1, $2, $3, $4, $5)
       on conflict (reader_id, source_id) do nothing returning id`,
      [readerId, sourceId, folderId, url, startUnread ?? null],
    );
    await hastenWanted(tx, [sourceId], FIRST_WAIT_SECONDS);
    return row?.id ?? null;
  }

  /**
   * The wanted feeds that the user does not follow, with or without headers. Of those that are known to be the
   * same by a permanent redirect, the first. A former address of a feed is followed as well.
   *
   * @param wanted `url`: normalised
   */
  async notYetFollowed<Wanted extends { readonly url: string; readonly urlKey: Buffer }>(
    readerId: number,
    wanted: readonly Wanted[],
    tx: SqlRunner,
  ): Promise<Wanted[]> {
    const moved = await tx.query<{ url: string; to: string }>(
      `select url, coalesce(moving_to, effective_url) as "to" from source
        where url_key = any($1::bytea[]) and (moving_to is not null or effective_url is not null)`,
      [wanted.map(({ urlKey }) => urlKey)],
    );
    const movedTo = new Map(moved.map(({ url, to }) => [url, to]));
    const placesOf = ({ url }: Wanted) => [url, movedTo.get(url) ?? url];
    const places = wanted.flatMap(placesOf);
    const followed = await this.followedAt(readerId, places, tx);
    const former = await tx.query<{ url: string }>(
      `select source.url
         from former_source f
         join subscription s on s.reader_id = $1 and s.id = f.subscription_id
         join source on source.id = f.source_id
        where f.reader_id = $1 and s.deleted_at is null and source.url = any($2::text[])`,
      [readerId, places],
    );
    const known = new Set([...followed.keys(), ...former.map(({ url }) => url)]);
    return wanted.filter((feed) => {
      const its = placesOf(feed);
      const isNew = !its.some((place) => known.has(place));
      its.forEach((place) => known.add(place));
      return isNew;
    });
  }

  /**
   * Creates many subscriptions; sources that the user already follows are skipped. A source that was
   * never read delivers everything its first fetches bring, others the publisher's current list.
   *
   * @returns how many were created
   */
  async createMany(
    readerId: number,
    wanted: readonly ImportedSubscription[],
    tx: SqlRunner,
  ): Promise<number> {
    const sourceIds = wanted.map(({ sourceId }) => sourceId);
    await this.removeMarked(readerId, sourceIds, tx);
    const rows = await tx.query(
      `insert into subscription (reader_id, source_id, folder_id, url, title, start_unread,
                                 full_text, delivered_rev, started_rev)
       select $1, source.id, given.folder_id, given.url, nullif(given.title, source.title),
              given.start_unread, given.full_text,
              case when document.source_id is null then 0 else -1 end,
              case when document.source_id is null then 0 end
         from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::int[], $7::boolean[])
              with ordinality
                as given (source_id, folder_id, url, title, start_unread, full_text, place)
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
        wanted.map(({ startUnread }) => startUnread ?? null),
        wanted.map(({ fullText }) => fullText ?? false),
      ],
    );
    await hastenWanted(tx, sourceIds, FIRST_WAIT_SECONDS);
    return rows.length;
  }

  /**
   * Moves a feed. One that a group recommends becomes the user's own as well, unless it has the group's credentials.
   *
   * @param folderId null is the root
   * @throws FolderNotFound, FolderOfGroup, MandatoryFeed, FeedOfGroup
   */
  async move(
    readerId: number,
    feedId: number,
    folderId: number | null,
    tx: Transaction,
  ): Promise<void> {
    const where = present(readerId, feedId);
    if ((await tx.em.count(SubscriptionEntity, { ...where, folderId })) > 0) {
      return;
    }
    if (folderId !== null) {
      await this.folders.assertOwn(readerId, folderId, tx);
    }
    const giving = await this.givingOf(readerId, feedId, tx);
    if (giving?.isOwn === false && giving.isMandatory) {
      throw new MandatoryFeed(giving.title);
    }
    if (giving?.isOwn === false && giving.hasAccess) {
      throw new FeedOfGroup(giving.title);
    }
    await tx.em.nativeUpdate(SubscriptionEntity, where, { folderId, isOwn: true });
  }

  /** @param title null follows the publisher's @returns whether the feed exists */
  async rename(
    readerId: number,
    feedId: number,
    title: string | null,
    tx: Transaction,
  ): Promise<boolean> {
    const renamed = await tx.em.nativeUpdate(SubscriptionEntity, present(readerId, feedId), {
      title,
    });
    return renamed > 0;
  }

  /** Removes the feed with its items (cascade). @returns whether it existed */
  async remove(readerId: number, feedId: number, tx: Transaction): Promise<boolean> {
    return (await tx.em.nativeDelete(SubscriptionEntity, present(readerId, feedId))) > 0;
  }

  /**
   * Hides the feed with its items until `restore` or `purgeDeleted`, at the transaction's now().
   *
   * @returns whether it existed
   */
  async markDeleted(readerId: number, feedId: number, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      `update subscription set deleted_at = now()
        where reader_id = $1 and id = $2 and deleted_at is null returning id`,
      [readerId, feedId],
    );
    return rows.length > 0;
  }

  /**
   * Undoes `markDeleted` and `hideGiven`; at the root, if the folder is still marked and not a group's.
   *
   * @returns whether it was marked
   */
  async restore(readerId: number, feedId: number, tx: SqlRunner): Promise<boolean> {
    await tx.query(
      `update folder set deleted_at = null, kept_until = null
        where reader_id = $1 and kept_until = 'infinity'
          and id = (select folder_id from subscription
                     where reader_id = $1 and id = $2 and deleted_at is not null)
          and not exists (select 1 from folder other
                           where other.reader_id = $1 and other.name = folder.name
                             and other.deleted_at is null)`,
      [readerId, feedId],
    );
    const rows = await tx.query(
      `update subscription s
          set deleted_at = null, kept_until = null,
              folder_id = (select id from folder
                            where reader_id = $1 and id = s.folder_id and deleted_at is null)
        where reader_id = $1 and id = $2 and deleted_at is not null and ${MAY_RETURN} returning id`,
      [readerId, feedId],
    );
    return rows.length > 0;
  }

  /**
   * Removes feeds, and then folders, that were marked for deletion at least `graceSeconds` ago, and are not kept
   * for a group.
   */
  async purgeDeleted(readerId: number, graceSeconds: number, tx: SqlRunner): Promise<void> {
    for (const table of ['subscription', 'folder']) {
      await tx.query(
        `delete from ${table}
          where reader_id = $1 and deleted_at <= now() - make_interval(secs => $2)
            and (kept_until is null or kept_until <= now())`,
        [readerId, graceSeconds],
      );
    }
  }

  /**
   * Subscribing again ends the chance to undo an earlier deletion. If a group gives the feed, the user will be
   * given it again: as a second reason for the new one.
   */
  async removeMarked(readerId: number, sourceIds: readonly number[], tx: SqlRunner): Promise<void> {
    const removed = await tx.query<{ isGiven: boolean }>(
      `delete from subscription
        where reader_id = $1 and source_id = any($2::bigint[]) and deleted_at is not null
       returning group_feed_id is not null as "isGiven"`,
      [readerId, sourceIds],
    );
    if (removed.some(({ isGiven }) => isGiven)) {
      await giveAgain(readerId, tx);
    }
  }

  /** Readers who have folders or feeds that were marked for deletion at least `graceSeconds` ago. */
  async readersWithDeleted(graceSeconds: number): Promise<Reader[]> {
    return this.database.query<Reader>(
      `select user_id as "userId", reader_id as id from reader_user
        where reader_id in (select reader_id from subscription
                      where deleted_at <= now() - make_interval(secs => $1)
                        and (kept_until is null or kept_until <= now())
                     union select reader_id from folder
                      where deleted_at <= now() - make_interval(secs => $1)
                        and (kept_until is null or kept_until <= now()))
        order by reader_id`,
      [graceSeconds],
    );
  }
}

function present(readerId: number, feedId: number) {
  return { readerId, id: feedId, deletedAt: null };
}
