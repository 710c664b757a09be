import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { hastenWanted } from '../../sources/schedule/schedule.sql.js';
import { SubscriptionEntity } from './subscription.entity.js';
import { findOrigin, moveToSource, respell, type FeedOrigin } from './feed-moves.sql.js';
import {
  countSubscriptions,
  findFeed,
  insertSubscription,
  insertSubscriptions,
  listFeeds,
  listFollowedAt,
  listFollowedKeys,
  listOtherFeedsOfSource,
  listUsersWithMarked,
  markSubscription,
  purgeSubscriptions,
  removeMarkedOfSources,
  stampFullTextItems,
  unmarkSubscription,
  updateSettings,
  type FeedRow,
  type FeedSettings,
  type FollowedFeed,
  type ImportedSubscription,
  type NewSubscription,
} from './subscriptions.sql.js';

export type { FeedOrigin } from './feed-moves.sql.js';
export type { FeedSettings, ImportedSubscription } from './subscriptions.sql.js';
export type Feed = FeedRow;
type ListedFeed = Feed & { readonly newestItemId: number | null };

/** A new follower of a source that others want to be fetched seldom waits no longer than this. */
const FIRST_WAIT_SECONDS = 3600;

/** Users' subscriptions. Those marked for deletion are visible to `restore` and `purgeDeleted` only. */
@Injectable()
export class SubscriptionsRepository {
  constructor(private readonly database: Database) {}

  /** All feeds of a user by title, with counts; each with the user's highest item id. */
  async list(readerId: number): Promise<ListedFeed[]> {
    return listFeeds(this.database, readerId);
  }

  async find(readerId: number, feedId: number): Promise<Feed | null> {
    return findFeed(this.database, readerId, feedId);
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
   * The user's feeds at these addresses, or that redirect permanently to them, by the address.
   *
   * @param addresses normalised
   * @param tx to read in a transaction
   */
  async followedAt(
    readerId: number | null,
    addresses: readonly string[],
    tx: SqlRunner = this.database,
  ): Promise<ReadonlyMap<string, FollowedFeed>> {
    const found = readerId === null ? [] : await listFollowedAt(tx, readerId, addresses);
    return new Map(found.map((feed) => [feed.address, feed]));
  }

  /** The source of one of the user's feeds; null without such a feed. */
  async sourceOf(readerId: number, feedId: number): Promise<number | null> {
    const found = await this.database.entities((em) =>
      em.findOne(SubscriptionEntity, present(readerId, feedId), { fields: ['sourceId'] }),
    );
    return found?.sourceId ?? null;
  }

  /** Where one of the user's feeds comes from; null without such a feed. */
  async originOf(readerId: number, feedId: number): Promise<FeedOrigin | null> {
    return findOrigin(this.database, readerId, feedId);
  }

  /**
   * Changes the address of a feed, which keeps its id, settings and items.
   *
   * @returns `taken` when the user has another feed of this source; `behind` when articles of the
   *   present source must be delivered first
   */
  async changeAddress(
    tx: SqlRunner,
    reader: LockedReader,
    feedId: number,
    found: { readonly sourceId: number; readonly url: string },
  ): Promise<'done' | 'taken' | 'behind'> {
    const others = await listOtherFeedsOfSource(tx, reader.id, feedId, found.sourceId);
    if (others.some(({ isMarked }) => !isMarked)) {
      return 'taken';
    }
    const current = await findOrigin(tx, reader.id, feedId);
    if (current?.sourceId === found.sourceId) {
      await respell(tx, reader.id, feedId, found.url);
      return 'done';
    }
    if (current?.isBehind === true) {
      return 'behind';
    }
    await removeMarkedOfSources(tx, reader.id, [found.sourceId]);
    await moveToSource(tx, reader, feedId, found);
    await hastenWanted(tx, [found.sourceId], FIRST_WAIT_SECONDS);
    return 'done';
  }

  /** Includes subscriptions marked for deletion; counts no further than `most`. */
  readonly count = countSubscriptions;

  /** @returns the new feed's id, or null when the user already follows the source */
  async create(
    tx: SqlRunner,
    readerId: number,
    subscription: NewSubscription,
  ): Promise<number | null> {
    await removeMarkedOfSources(tx, readerId, [subscription.sourceId]);
    const feedId = await insertSubscription(tx, readerId, subscription);
    await hastenWanted(tx, [subscription.sourceId], FIRST_WAIT_SECONDS);
    return feedId;
  }

  /** Those of many feeds that the user does not follow. */
  async notYetFollowed<Wanted extends { readonly urlKey: Buffer }>(
    tx: SqlRunner,
    readerId: number,
    wanted: readonly Wanted[],
  ): Promise<Wanted[]> {
    const urlKeys = wanted.map(({ urlKey }) => urlKey);
    const followed = new Set(await listFollowedKeys(tx, readerId, urlKeys));
    return wanted.filter(({ urlKey }) => !followed.has(urlKey.toString('hex')));
  }

  /**
   * Creates many subscriptions; sources that the user already follows are skipped. A source that was
   * never read delivers everything its first fetches bring, others the publisher's current list.
   *
   * @returns how many were created
   */
  async createMany(
    tx: SqlRunner,
    readerId: number,
    wanted: readonly ImportedSubscription[],
  ): Promise<number> {
    const sourceIds = wanted.map(({ sourceId }) => sourceId);
    await removeMarkedOfSources(tx, readerId, sourceIds);
    const created = await insertSubscriptions(tx, readerId, wanted);
    await hastenWanted(tx, sourceIds, FIRST_WAIT_SECONDS);
    return created;
  }

  /** Changes settings, and stamps items that show another body afterwards. @returns false without such a feed */
  async changeSettings(
    tx: SqlRunner,
    reader: LockedReader,
    feedId: number,
    settings: FeedSettings,
  ): Promise<boolean> {
    const showsOtherBodies = await updateSettings(tx, reader.id, feedId, settings);
    if (showsOtherBodies === true) {
      await stampFullTextItems(tx, reader, feedId);
    }
    const { fetchEveryHours } = settings;
    if (fetchEveryHours !== undefined) {
      const origin = await findOrigin(tx, reader.id, feedId);
      const seconds = (fetchEveryHours ?? 1) * 3600;
      await hastenWanted(tx, origin === null ? [] : [origin.sourceId], seconds);
    }
    return showsOtherBodies !== null;
  }

  async move(
    tx: Transaction,
    readerId: number,
    feedId: number,
    folderId: number | null,
  ): Promise<void> {
    await tx.em.nativeUpdate(SubscriptionEntity, present(readerId, feedId), { folderId });
  }

  /** @param title null follows the publisher's @returns whether the feed exists */
  async rename(
    tx: Transaction,
    readerId: number,
    feedId: number,
    title: string | null,
  ): Promise<boolean> {
    const renamed = await tx.em.nativeUpdate(SubscriptionEntity, present(readerId, feedId), {
      title,
    });
    return renamed > 0;
  }

  /** With the feed's items (cascade). @returns whether it existed */
  async remove(tx: Transaction, readerId: number, feedId: number): Promise<boolean> {
    return (await tx.em.nativeDelete(SubscriptionEntity, present(readerId, feedId))) > 0;
  }

  /** Hides the feed with its items until `restore` or `purgeDeleted`. @returns whether it existed */
  readonly markDeleted = markSubscription;
  /** Undoes `markDeleted`; at the root, if the folder is still marked. @returns whether it was marked */
  readonly restore = unmarkSubscription;
  /** Removes what was marked for deletion at least `graceSeconds` ago. @returns how many */
  readonly purgeDeleted = purgeSubscriptions;

  async usersWithDeleted(graceSeconds: number): Promise<string[]> {
    return listUsersWithMarked(this.database, graceSeconds);
  }
}

function present(readerId: number, feedId: number) {
  return { readerId, id: feedId, deletedAt: null };
}
