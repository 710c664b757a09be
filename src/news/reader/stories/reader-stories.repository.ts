import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import type { LeftFeeds } from '../delivery/deliveries.repository.js';
import { moveStamp } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { IS_UNTOUCHED, RuleEffectsRepository } from '../rules/rule-effects.repository.js';
import type { StoryItem } from './fold-story.js';
import type { StoryMember } from './join-stories.js';

/** The rule of `rule_effect` that stories are: rules of users have positive ids. */
export const STORIES_RULE = 0;

/** A reader's item of a story, with its stamp. */
export interface StoredStoryItem extends StoryItem {
  readonly articleId: number;
  readonly formerMicros: number;
}

/** A copy whose keeper goes. */
export interface LeftCopy {
  readonly itemId: number;
  readonly keeperId: number;
  readonly formerMicros: number;
  readonly isKeeperUnread: boolean;
  readonly isUntouched: boolean;
  /** Whether it is read for its story alone, and its user has not marked a list read since that had it. */
  readonly mayBecomeUnread: boolean;
}

/** A change of what an item points to; null: to none. */
export interface Pointer {
  readonly itemId: number;
  readonly keeperId: number | null;
  /** Its stamp; null if that is the one of the transaction. */
  readonly formerMicros: number | null;
}

/** What was done to `item`; the reader is `$1`. */
const DONE = `left join lateral (
  select bool_or(effect = 'star') as starred, bool_or(rule_id = ${STORIES_RULE}) as folded,
         bool_or(rule_id = ${STORIES_RULE} and stamp_micros = item.last_modified_micros) as "mayBeUndone",
         bool_or(rule_id <> ${STORIES_RULE} and effect in ('read', 'hide')) as "byRule",
         bool_or(covered) as covered
    from rule_effect
   where rule_effect.reader_id = $1 and rule_effect.item_id = item.id and undone_at is null) done on true`;

/** How readers see stories: their choices, and their items. */
@Injectable()
export class ReaderStoriesRepository {
  constructor(
    private readonly database: Database,
    private readonly effects: RuleEffectsRepository,
  ) {}

  async settingsOf(
    readerId: number,
  ): Promise<{ readonly once: boolean; readonly alwaysShownFeeds: readonly number[] }> {
    const [row] = await this.database.query<{ once: boolean; alwaysShownFeeds: number[] }>(
      `select stories_once as once,
              (select coalesce(json_agg(id order by id), '[]') from subscription
                where reader_id = $1 and always_shown and deleted_at is null) as "alwaysShownFeeds"
         from reader where id = $1`,
      [readerId],
    );
    return row ?? { once: false, alwaysShownFeeds: [] };
  }

  async switch(readerId: number, isOn: boolean, tx: SqlRunner): Promise<void> {
    await tx.query('update reader set stories_once = $2 where id = $1', [readerId, isOn]);
  }

  /** @returns whether that is a change; null without such a feed */
  async showAlways(
    readerId: number,
    feedId: number,
    isShown: boolean,
    tx: SqlRunner,
  ): Promise<boolean | null> {
    const [row] = await tx.query<{ isChanged: boolean }>(
      `update subscription s set always_shown = $3
         from subscription former
        where former.reader_id = $1 and former.id = $2
          and s.reader_id = $1 and s.id = $2 and s.deleted_at is null
       returning former.always_shown <> $3 as "isChanged"`,
      [readerId, feedId, isShown],
    );
    return row?.isChanged ?? null;
  }

  /** Sources of a reader's feeds above an id; of these feeds, or of all. */
  async sources(
    readerId: number,
    feedIds: readonly number[] | null,
    afterSourceId: number,
    limit: number,
  ): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      `select source_id as id from subscription
        where reader_id = $1 and deleted_at is null and source_id > $3
          and ($2::bigint[] is null or id = any($2))
        order by source_id limit $4`,
      [readerId, feedIds, afterSourceId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** The reader's items of these articles, but for those whose state another one has since a merge. */
  async items(
    readerId: number,
    articles: readonly Pick<StoryMember, 'articleId' | 'sourceId'>[],
    tx: SqlRunner,
  ): Promise<StoredStoryItem[]> {
    return tx.query<StoredStoryItem>(
      `select item.id as "itemId", item.article_id as "articleId", item.unread,
              item.last_modified_micros as "formerMicros", ${IS_UNTOUCHED} as "isUntouched",
              feed.always_shown as "isAlwaysShown",
              (item.starred and done.starred is not true) or mark.highlighted is true
                or (not item.unread and done.folded is not true and done.covered is true)
                or exists (select 1 from item_label label
                            where label.reader_id = $1 and label.item_id = item.id
                              and not exists (select 1 from rule_effect labelled
                                               where labelled.reader_id = $1 and labelled.item_id = item.id
                                                 and labelled.label_id = label.label_id
                                                 and labelled.effect = 'label'
                                                 and labelled.undone_at is null)) as "isKept",
              exists (select 1 from rule_effect once
                       where once.reader_id = $1 and once.item_id = item.id
                         and once.rule_id = ${STORIES_RULE}) as "wasFolded",
              not item.unread and done.folded is true and done."byRule" is not true as "isFolded",
              mark.duplicate_of as "keeperId"
         from (select id, source_id, always_shown from subscription
                where reader_id = $1 and deleted_at is null
               union all
               select s.id, former.source_id, s.always_shown
                 from former_source former
                 join subscription s on s.reader_id = $1 and s.id = former.subscription_id
                                    and s.deleted_at is null
                where former.reader_id = $1) feed
         join unnest($2::bigint[], $3::bigint[]) as told (source_id, article_id)
           on told.source_id = feed.source_id
         join item on item.reader_id = $1 and item.subscription_id = feed.id
                  and item.article_id = told.article_id
         left join item_mark mark on mark.reader_id = $1 and mark.item_id = item.id
         ${DONE}
        where mark.merged is not true`,
      [
        readerId,
        articles.map(({ sourceId }) => sourceId),
        articles.map(({ articleId }) => articleId),
      ],
    );
  }

  /** Marks items read for their story. */
  async fold(
    reader: LockedReader,
    items: readonly StoredStoryItem[],
    tx: SqlRunner,
  ): Promise<void> {
    if (items.length === 0) {
      return;
    }
    await this.effects.carryOut(
      reader,
      items.map(({ itemId, formerMicros }) => ({
        itemId,
        read: true,
        hide: false,
        star: false,
        retain: false,
        fulltext: false,
        labelIds: [],
        effects: [{ ruleId: STORIES_RULE, effect: 'read', labelId: 0 }],
        notices: [],
        formerMicros: formerMicros === reader.stampMicros ? null : formerMicros,
        isChanged: true,
      })),
      tx,
    );
  }

  /** Makes items unread that are read for their story alone, and that nobody touched since. */
  async unfold(reader: LockedReader, itemIds: readonly number[], tx: SqlRunner): Promise<void> {
    if (itemIds.length > 0) {
      await this.effects.undo(reader, STORIES_RULE, 0, itemIds.length, tx, itemIds);
    }
  }

  /** Changes what items point to, but for merged ones: a change of these items. */
  async point(reader: LockedReader, pointers: readonly Pointer[], tx: SqlRunner): Promise<void> {
    if (pointers.length === 0) {
      return;
    }
    await tx.query(
      `insert into item_mark (reader_id, item_id, duplicate_of)
       select $1, item_id, keeper_id from unnest($2::bigint[], $3::bigint[]) as given (item_id, keeper_id)
        where keeper_id is not null
           or exists (select 1 from item_mark mark where mark.reader_id = $1 and mark.item_id = given.item_id)
       on conflict (reader_id, item_id) do update set duplicate_of = excluded.duplicate_of
        where not item_mark.merged`,
      [reader.id, pointers.map(({ itemId }) => itemId), pointers.map(({ keeperId }) => keeperId)],
    );
    const stamped = pointers.flatMap(({ itemId, formerMicros }) =>
      formerMicros === null ? [] : [{ itemId, formerMicros }],
    );
    if (stamped.length > 0) {
      await this.effects.carry(reader, stamped, tx);
      await tx.query(
        `with changed as (
           update item set last_modified_micros = $2
            where reader_id = $1 and id = any($3::bigint[]) and last_modified_micros <> $2 returning 1
         )
         update reader set ${moveStamp('$2')} where id = $1 and exists (select 1 from changed)`,
        [reader.id, reader.stampMicros, stamped.map(({ itemId }) => itemId)],
      );
    }
  }

  /** Copies in other feeds whose keepers are in feeds that the reader leaves, by their ids. */
  async leftCopies(readerId: number, left: LeftFeeds, tx: SqlRunner): Promise<LeftCopy[]> {
    return tx.query<LeftCopy>(
      `select item.id as "itemId", keeper.id as "keeperId", item.last_modified_micros as "formerMicros",
              keeper.unread as "isKeeperUnread", ${IS_UNTOUCHED} as "isUntouched",
              not item.unread and done."mayBeUndone" is true and done."byRule" is not true
                and done.covered is not true as "mayBecomeUnread"
         from item_mark pointing
         join item keeper on keeper.reader_id = $1 and keeper.id = pointing.duplicate_of
         join subscription gone on gone.reader_id = $1 and gone.id = keeper.subscription_id
                               and (gone.id = $2 or gone.folder_id = $3)
         join item on item.reader_id = $1 and item.id = pointing.item_id
         join subscription s on s.reader_id = $1 and s.id = item.subscription_id and s.deleted_at is null
                            and s.id is distinct from $2 and (s.folder_id is distinct from $3 or $3 is null)
         ${DONE}
        where pointing.reader_id = $1 and pointing.duplicate_of is not null
        order by item.id`,
      [readerId, 'feedId' in left ? left.feedId : null, 'folderId' in left ? left.folderId : null],
    );
  }

  /** Items that are marked, or point to another: of all feeds, or of those that are always shown. */
  async marked(
    readerId: number,
    ofAll: boolean,
    limit: number,
    tx: SqlRunner,
  ): Promise<{ itemId: number; formerMicros: number; isPointing: boolean }[]> {
    return tx.query(
      `select item.id as "itemId", item.last_modified_micros as "formerMicros",
              bool_or(marked.is_pointing) as "isPointing"
         from (select item_id, true as is_pointing from item_mark
                where reader_id = $1 and duplicate_of is not null
               union all
               select item_id, false from rule_effect
                where reader_id = $1 and rule_id = ${STORIES_RULE} and undone_at is null) marked
         join item on item.reader_id = $1 and item.id = marked.item_id
         join subscription s on s.reader_id = $1 and s.id = item.subscription_id
        where ($2 or s.always_shown)
          and not exists (select 1 from item_mark left_behind
                           where left_behind.reader_id = $1 and left_behind.item_id = item.id
                             and left_behind.merged)
        group by item.id, item.last_modified_micros order by item.id limit $3`,
      [readerId, ofAll, limit],
    );
  }

  /** Forgets that items were marked, so that they may be again. @param itemIds null: all */
  async forget(readerId: number, itemIds: readonly number[] | null, tx: SqlRunner): Promise<void> {
    await tx.query(
      `delete from rule_effect where reader_id = $1 and rule_id = ${STORIES_RULE}
          and ($2::bigint[] is null or item_id = any($2))`,
      [readerId, itemIds],
    );
  }
}
