import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Config } from '../../common/config/config.js';
import { DAY_SECONDS } from '../../common/units.js';
import { Database, type SqlRunner, type Transaction } from '../../database/database.js';
import { prepared } from '../../database/prepared.js';
import type { Statement } from '../../database/statement.js';
import { GivenFeedsRepository, type GivenSource } from '../adding/given-feeds.repository.js';
import { carryEffects } from '../reader/delivery/covered-effects.sql.js';
import { DeliveriesRepository } from '../reader/delivery/deliveries.repository.js';
import { countAgain, moveStamp } from '../reader/delivery/kept-counts.sql.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import type { MemberRule } from '../reader/rules/given-rules.service.js';
import { GroupFoldersSettings } from './group-folders.settings.js';
import {
  planMembership,
  type DueFeed,
  type DueFolder,
  type MembershipPlan,
  type PresentFeed,
  type PresentFolder,
} from './plan-membership.js';

/** What a user should have and was not given, or was given and should not have. By two keys of the user. */
const IS_DUE = prepared(
  'are-groups-due',
  `select exists (
            select 1 from account_group_member member
              join group_folder folder on folder.group_id = member.group_id
             where member.user_id = $1
               and not exists (select 1 from group_folder_member given
                                where given.user_id = $1 and given.folder_id = folder.id
                                  and given.rev = folder.rev))
       or exists (
            select 1 from group_folder_member given
             where given.user_id = $1
               and not exists (select 1 from group_folder folder
                                 join account_group_member member on member.group_id = folder.group_id
                                where folder.id = given.folder_id and member.user_id = $1)) as "isDue"`,
);

/**
 * Users who cannot wait for their next synchronisation: those who have what is no longer theirs, and those who look
 * on, or are told. Everybody else costs nothing until then.
 */
const DUE_SOON = `
  select given.user_id from group_folder_member given
   where not exists (select 1 from group_folder folder
                       join account_group_member member on member.group_id = folder.group_id
                      where folder.id = given.folder_id and member.user_id = given.user_id)
  union
  select member.user_id
    from (select user_id, reader_id from reader_user where watched_until > now()
          union select user_id, reader_id from early_reader) attentive
    join account_group_member member on member.user_id = attentive.user_id
    join group_folder folder on folder.group_id = member.group_id
   where not exists (select 1 from group_folder_member given
                      where given.user_id = member.user_id and given.folder_id = folder.id
                        and given.rev = folder.rev)`;

const STATE = `case when deleted_at is null then 'shown' when kept_until is null then 'removed'
                    when kept_until = 'infinity' then 'hidden' else 'left' end as state`;

/** What a user keeps when a feed goes. */
const IS_KEPT = `(item.starred
  or exists (select 1 from item_label
              where item_label.reader_id = $1 and item_label.item_id = item.id)
  or exists (select 1 from item_mark mark
              where mark.reader_id = $1 and mark.item_id = item.id
                and (mark.retained or mark.highlighted)))`;

/**
 * The rows of readers that groups give. What a user was given is compared with the groups' present folders, so that
 * no change of a group, however it was made, has to reach its members.
 *
 * @see docs/decisions/0107-folders-of-groups.md
 */
@Injectable()
export class MembershipsRepository {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly given: GivenFeedsRepository,
    private readonly config: Config,
    private readonly settings: GroupFoldersSettings,
  ) {}

  asking(userId: string): Statement {
    return { sql: IS_DUE, params: [userId] };
  }

  async isDue(userId: string): Promise<boolean> {
    const [answer] = await this.database.query<{ isDue: boolean }>(IS_DUE, [userId]);
    return answer?.isDue === true;
  }

  /** See `DUE_SOON`. @param except users that are left out */
  async dueSoon(except: readonly string[], limit: number): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `select user_id as "userId" from (${DUE_SOON}) due where user_id <> all($1::text[]) limit $2`,
      [except, limit],
    );
    return rows.map(({ userId }) => userId);
  }

  /**
   * Gives a reader what it should have, and takes the rest. Costs what changes, and the given feeds.
   *
   * @returns the rules that the reader should have
   */
  async bringUpToDate(
    reader: Reader,
    locked: LockedReader,
    tx: Transaction,
  ): Promise<readonly MemberRule[]> {
    const due = await this.#due(reader.userId, tx);
    const sourceIds = due.feeds.map(({ sourceId }) => sourceId);
    const present = await this.#present(locked.id, sourceIds, tx);
    const plan = planMembership(present, due);
    const hasMoved = [
      await this.#leave(reader, locked, plan, present.folders, tx),
      await this.#give(locked, plan, present.folders, tx),
    ].includes(true);
    if (hasMoved) {
      await countAgain(locked.id, tx);
    }
    await this.#noteGiven(reader.userId, due.folders, tx);
    return this.#rules(locked.id, due, tx);
  }

  /** Of each folder for all of its feeds that the reader has, by whichever way. */
  async #rules(
    readerId: number,
    {
      folders,
      feeds,
    }: { readonly folders: readonly DueFolder[]; readonly feeds: readonly DueFeed[] },
    tx: SqlRunner,
  ): Promise<MemberRule[]> {
    const rules = await tx.query<Omit<MemberRule, 'groupName' | 'feedIds'>>(
      `select id, folder_id as "folderId", name, query, actions
         from group_rule where folder_id = any($1::bigint[]) order by folder_id, place`,
      [folders.map(({ id }) => id)],
    );
    if (rules.length === 0) {
      return [];
    }
    const sourceIds = (id: number) =>
      feeds.filter(({ folderId }) => folderId === id).map(({ sourceId }) => sourceId);
    const present = await tx.query<{ id: number; sourceId: number }>(
      `select id, source_id as "sourceId" from subscription
        where reader_id = $1 and source_id = any($2::bigint[]) order by id`,
      [readerId, rules.flatMap(({ folderId }) => sourceIds(folderId))],
    );
    return rules.map((rule) => {
      const sources = new Set(sourceIds(rule.folderId));
      return {
        ...rule,
        groupName: folders.find(({ id }) => id === rule.folderId)?.groupName ?? '',
        feedIds: present.filter(({ sourceId }) => sources.has(sourceId)).map(({ id }) => id),
      };
    });
  }

  async #due(
    userId: string,
    tx: SqlRunner,
  ): Promise<{ readonly folders: readonly DueFolder[]; readonly feeds: readonly DueFeed[] }> {
    const folders = await tx.query<DueFolder>(
      `select folder.id, folder.name, folder.rev, its.display_name as "groupName"
         from account_group_member member
         join account_group its on its.group_id = member.group_id
         join group_folder folder on folder.group_id = its.group_id
        where member.user_id = $1 order by folder.id`,
      [userId],
    );
    const feeds = await tx.query<DueFeed>(
      `select id, folder_id as "folderId", source_id as "sourceId", url,
              is_mandatory as "isMandatory"
         from group_folder_feed where folder_id = any($1::bigint[])
        order by folder_id, id limit $2`,
      [folders.map(({ id }) => id), this.config.limits['group-feeds-per-user']],
    );
    return { folders, feeds };
  }

  async #present(
    readerId: number,
    sourceIds: readonly number[],
    tx: SqlRunner,
  ): Promise<{ readonly folders: PresentFolder[]; readonly feeds: PresentFeed[] }> {
    const folders = await tx.query<PresentFolder>(
      `select id, name, group_folder_id as "groupFolderId", given_name as "givenName", ${STATE}
         from folder where reader_id = $1 and (deleted_at is null or group_folder_id is not null)`,
      [readerId],
    );
    const feeds = await tx.query<PresentFeed>(
      `select id, source_id as "sourceId", folder_id as "folderId", group_feed_id as "groupFeedId",
              is_own as "isOwn", ${STATE}
         from subscription
        where reader_id = $1 and (group_feed_id is not null or source_id = any($2::bigint[]))`,
      [readerId, sourceIds],
    );
    return { folders, feeds };
  }

  /** @returns whether items went to another feed */
  async #leave(
    reader: Reader,
    locked: LockedReader,
    { leftFolders, leftFeeds, releasedFeedIds }: MembershipPlan,
    folders: readonly PresentFolder[],
    tx: Transaction,
  ): Promise<boolean> {
    await tx.query(
      `update subscription set group_feed_id = null, is_mandatory = false
        where reader_id = $1 and id = any($2::bigint[])`,
      [locked.id, releasedFeedIds],
    );
    let hasMoved = false;
    const shown = Map.groupBy(
      leftFeeds.filter(({ state }) => state === 'shown'),
      ({ folderId }) => folderId,
    );
    for (const [folderId, feeds] of shown) {
      const folder = folders.find(({ id }) => id === folderId);
      const left =
        folder !== undefined && leftFolders.includes(folder)
          ? [{ folderId: folder.id }]
          : feeds.map(({ id }) => ({ feedId: id }));
      for (const one of left) {
        await this.deliveries.leave(locked, one, tx);
      }
      const source = fromFolder(reader.userId, folder?.groupFolderId ?? 0, folder?.name ?? '');
      const fetched = await this.#fetched(feeds, tx);
      hasMoved = (await this.#keep(locked, source, fetched, tx)) || hasMoved;
    }
    const graceSeconds = this.settings.groupFoldersGraceDays * DAY_SECONDS;
    await tx.query(
      `update subscription
          set deleted_at = coalesce(deleted_at, $4::timestamptz), group_feed_id = null, is_mandatory = false,
              kept_until = now() + make_interval(secs => $3)
        where reader_id = $1 and id = any($2::bigint[])`,
      [locked.id, leftFeeds.map(({ id }) => id), graceSeconds, new Date()],
    );
    await tx.query(
      `update folder set deleted_at = coalesce(deleted_at, $4::timestamptz),
                         kept_until = now() + make_interval(secs => $3)
        where reader_id = $1 and id = any($2::bigint[])`,
      [locked.id, leftFolders.map(({ id }) => id), graceSeconds, new Date()],
    );
    return hasMoved;
  }

  /** Those whose source is fetched: a board is the group's, and nobody takes anything of it along. */
  async #fetched(feeds: readonly PresentFeed[], tx: SqlRunner): Promise<PresentFeed[]> {
    const rows = await tx.query<{ id: number }>(
      'select id from source where id = any($1::bigint[]) and given_to is null',
      [feeds.map(({ sourceId }) => sourceId)],
    );
    const ids = new Set(rows.map(({ id }) => id));
    return feeds.filter(({ sourceId }) => ids.has(sourceId));
  }

  /** Moves what the user keeps of these feeds into a feed of the user's own, with ids and flags. */
  async #keep(
    { id: readerId, stampMicros }: LockedReader,
    source: GivenSource,
    feeds: readonly PresentFeed[],
    tx: Transaction,
  ): Promise<boolean> {
    const feedIds = feeds.map(({ id }) => id);
    const [kept] = await tx.query(
      `select 1 as one from item
        where reader_id = $1 and subscription_id = any($2::bigint[]) and ${IS_KEPT} limit 1`,
      [readerId, feedIds],
    );
    if (kept === undefined) {
      return false;
    }
    const into =
      (await this.given.find(readerId, source.urlKey, tx)) ??
      (await this.given.create(readerId, source, tx));
    await tx.query(
      `insert into former_source (reader_id, subscription_id, source_id, delivered_rev, started_rev)
       select $1::bigint, $3::bigint, source_id, delivered_rev, started_rev from subscription
        where reader_id = $1 and id = any($2::bigint[])
       on conflict do nothing`,
      [readerId, feedIds, into.feedId],
    );
    await tx.query(
      `with moved as (
         update item set subscription_id = $3, late = true, last_modified_micros = $4
          where reader_id = $1 and subscription_id = any($2::bigint[]) and ${IS_KEPT}
            and not exists (select 1 from item other
                             where other.reader_id = $1 and other.subscription_id = $3
                               and other.article_id = item.article_id)
         returning 1
       )
       update reader set ${moveStamp('$4')} where id = $1 and exists (select 1 from moved)`,
      [readerId, feedIds, into.feedId, stampMicros],
    );
    return true;
  }

  /** @returns whether items came back from another feed */
  async #give(
    locked: LockedReader,
    { newFolders, folders, newFeeds, feeds }: MembershipPlan,
    present: readonly PresentFolder[],
    tx: Transaction,
  ): Promise<boolean> {
    const places = new Map(present.map(({ groupFolderId, id }) => [groupFolderId, id]));
    for (const { id, name, givenName, isShown } of folders) {
      await tx.query(
        `update folder set name = $3, given_name = $4,
                           deleted_at = case when $5 then null else deleted_at end,
                           kept_until = case when $5 then null else kept_until end
          where reader_id = $1 and id = $2`,
        [locked.id, id, name, givenName, isShown],
      );
    }
    for (const { groupFolderId, name } of newFolders) {
      const [created] = await tx.query<{ id: number }>(
        `insert into folder (reader_id, name, given_name, group_folder_id)
         values ($1, $2, $2, $3) returning id`,
        [locked.id, name, groupFolderId],
      );
      places.set(groupFolderId, created?.id ?? 0);
    }
    const wanted = newFeeds.map(({ sourceId, folderId, url }) => ({
      sourceId,
      folderId: places.get(folderId) ?? null,
      url,
      title: null,
    }));
    await this.subscriptions.createMany(locked.id, wanted, tx);
    await tx.query(
      `update subscription
          set group_feed_id = new.group_feed_id, is_mandatory = new.is_mandatory, is_own = false
         from unnest($2::bigint[], $3::bigint[], $4::boolean[])
              as new (source_id, group_feed_id, is_mandatory)
        where reader_id = $1 and subscription.source_id = new.source_id`,
      [
        locked.id,
        newFeeds.map(({ sourceId }) => sourceId),
        newFeeds.map(({ id }) => id),
        newFeeds.map(({ isMandatory }) => isMandatory),
      ],
    );
    await tx.query(
      `update subscription
          set group_feed_id = its.group_feed_id, is_mandatory = its.is_mandatory, is_own = its.is_own,
              folder_id = coalesce(its.folder_id, subscription.folder_id),
              deleted_at = case when its.is_shown then null else deleted_at end,
              kept_until = case when its.is_shown then null else kept_until end
         from unnest($2::bigint[], $3::bigint[], $4::boolean[], $5::boolean[], $6::boolean[], $7::bigint[])
              as its (id, group_feed_id, is_mandatory, is_own, is_shown, folder_id)
        where reader_id = $1 and subscription.id = its.id`,
      [
        locked.id,
        feeds.map(({ id }) => id),
        feeds.map(({ groupFeedId }) => groupFeedId),
        feeds.map(({ isMandatory }) => isMandatory),
        feeds.map(({ isOwn }) => isOwn),
        feeds.map(({ isShown }) => isShown),
        feeds.map(({ groupFolderId }) => groupFolderId && (places.get(groupFolderId) ?? null)),
      ],
    );
    return this.#comeBack(
      locked,
      feeds.filter(({ returns }) => returns),
      tx,
    );
  }

  /** Stamps all items of feeds that return, since clients have dropped them; with those that were kept elsewhere. */
  async #comeBack(
    reader: LockedReader,
    feeds: MembershipPlan['feeds'],
    tx: Transaction,
  ): Promise<boolean> {
    const { id: readerId, stampMicros } = reader;
    if (feeds.length === 0) {
      return false;
    }
    const feedsWithItems = await tx.query<{ id: number; sourceId: number }>(
      `select distinct s.id, s.source_id as "sourceId"
         from former_source former
         join subscription s on s.reader_id = $1 and s.id = former.subscription_id
        where former.reader_id = $1 and former.source_id = any($2::bigint[])
          and s.deleted_at is null`,
      [readerId, feeds.map(({ sourceId }) => sourceId)],
    );
    const kept = await tx.query<{ id: number }>(
      `select id from source
        where id = any($1::bigint[]) and given_to is not null
          and starts_with(url, '${FROM_GROUP}')`,
      [feedsWithItems.map(({ sourceId }) => sourceId)],
    );
    const isKept = new Set(kept.map(({ id }) => id));
    for (const { id } of feedsWithItems.filter(({ sourceId }) => isKept.has(sourceId))) {
      await this.#takeFrom(readerId, id, feeds, tx);
    }
    const ids = feeds.map(({ id }) => id);
    await carryEffects(reader, 'item.subscription_id = any($3::bigint[])', [ids], tx);
    await tx.query(
      `with stamped as (
         update item set last_modified_micros = $3
          where reader_id = $1 and subscription_id = any($2::bigint[]) returning 1)
       update reader set ${moveStamp('$3')} where id = $1 and exists (select 1 from stamped)`,
      [readerId, ids, stampMicros],
    );
    return true;
  }

  /** Removes the feed if nothing stays in it. */
  async #takeFrom(
    readerId: number,
    fromId: number,
    feeds: MembershipPlan['feeds'],
    tx: Transaction,
  ): Promise<void> {
    const items = await tx.query<{ articleId: number }>(
      'select article_id as "articleId" from item where reader_id = $1 and subscription_id = $2',
      [readerId, fromId],
    );
    const sourceIds = feeds.map(({ sourceId }) => sourceId);
    const articles = await tx.query<{ id: number; sourceId: number }>(
      `select id, source_id as "sourceId" from article
        where source_id = any($1::bigint[]) and id = any($2::bigint[])`,
      [sourceIds, items.map(({ articleId }) => articleId)],
    );
    const feedOf = new Map(feeds.map(({ sourceId, id }) => [sourceId, id]));
    await tx.query(
      `update item set subscription_id = its.feed_id
         from unnest($3::bigint[], $4::bigint[]) as its (article_id, feed_id)
        where reader_id = $1 and subscription_id = $2 and item.article_id = its.article_id
          and not exists (select 1 from item other
                           where other.reader_id = $1 and other.subscription_id = its.feed_id
                             and other.article_id = its.article_id)`,
      [
        readerId,
        fromId,
        articles.map(({ id }) => id),
        articles.map(({ sourceId }) => feedOf.get(sourceId)),
      ],
    );
    await tx.query(
      `delete from subscription
        where reader_id = $1 and id = $2
          and not exists (select 1 from item where reader_id = $1 and subscription_id = $2)`,
      [readerId, fromId],
    );
  }

  async #noteGiven(userId: string, folders: readonly DueFolder[], tx: SqlRunner): Promise<void> {
    const ids = folders.map(({ id }) => id);
    await tx.query(
      'delete from group_folder_member where user_id = $1 and folder_id <> all($2::bigint[])',
      [userId, ids],
    );
    await tx.query(
      `insert into group_folder_member (user_id, folder_id, rev)
       select $1, * from unnest($2::bigint[], $3::bigint[])
       on conflict (user_id, folder_id) do update set rev = excluded.rev`,
      [userId, ids, folders.map(({ rev }) => rev)],
    );
  }
}

/** Leads nowhere, as `GivenSource.url`. */
const FROM_GROUP = 'https://added.invalid/from-group/';

/** The feed of a user for what is kept of a group's folder. */
function fromFolder(userId: string, folderId: number, name: string): GivenSource {
  const key = ['given', userId, 'group-folder', folderId].join('\0');
  return {
    urlKey: createHash('sha256').update(key).digest(),
    url: `${FROM_GROUP}${folderId}`,
    title: `From ${name}`,
    userId,
  };
}
