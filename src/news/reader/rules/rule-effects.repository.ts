import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { FullTextRepository } from '../../sources/full-text/full-text.repository.js';
import type { RuleEffect } from '../../tables/rule.entity.js';
import { keepCounts } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import type { DoneEffect, ItemEffects } from './rule-effects.js';

/** An item before effects. */
export interface OlderItem {
  readonly itemId: number;
  readonly lastModifiedMicros: number;
  readonly arrivedMicros: number;
  /** Whether only rules and its publisher have changed it since its delivery. */
  readonly isUntouched: boolean;
}

/**
 * SQL of a condition that only rules and its publisher have changed `item` since its delivery, and the user has
 * highlighted nothing in it.
 */
export const IS_UNTOUCHED = `(
    not exists (select 1 from item_mark mark
                 where mark.reader_id = $1 and mark.item_id = item.id and mark.highlighted)
    and (item.last_modified_micros = item.arrived_micros
         or exists (select 1 from item_mark mark
                     where mark.reader_id = $1 and mark.item_id = item.id
                       and mark.untouched_micros = item.last_modified_micros)))`;

/** What a rule did, for people. */
export interface ListedEffect {
  readonly id: number;
  readonly atSeconds: number;
  readonly effect: RuleEffect;
  readonly itemId: number;
  readonly title: string | null;
  readonly feedId: number;
  readonly undoneAtSeconds: number | null;
}

const INSERT_EFFECTS = prepared(
  'insert-rule-effects',
  `insert into rule_effect (reader_id, item_id, rule_id, effect, label_id, stamp_micros)
   select $1, item_id, rule_id, effect, label_id, stamp
     from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
          as given (item_id, rule_id, effect, label_id, stamp)
   on conflict do nothing`,
);

/**
 * What rules did to items, and the items themselves. An effect has the stamp of its item for as long as only
 * rules and its publisher change that: what has another stamp was touched by the user, and is not undone.
 */
@Injectable()
export class RuleEffectsRepository {
  constructor(
    private readonly database: Database,
    private readonly fullText: FullTextRepository,
  ) {}

  async items(
    readerId: number,
    itemIds: readonly number[],
    tx: SqlRunner = this.database,
  ): Promise<OlderItem[]> {
    if (itemIds.length === 0) {
      return [];
    }
    return tx.query<OlderItem>(
      `select id as "itemId", last_modified_micros as "lastModifiedMicros",
              arrived_micros as "arrivedMicros", ${IS_UNTOUCHED} as "isUntouched"
         from item where reader_id = $1 and id = any($2::bigint[])`,
      [readerId, itemIds],
    );
  }

  /** What rules did to these items. An import does what its user did elsewhere, and is not among them. */
  async done(
    readerId: number,
    itemIds: readonly number[],
    tx: SqlRunner = this.database,
  ): Promise<DoneEffect[]> {
    if (itemIds.length === 0) {
      return [];
    }
    return tx.query<DoneEffect>(
      `select item_id as "itemId", rule_id as "ruleId", effect, label_id as "labelId",
              undone_at is not null as "isUndone", covered as "isCovered"
         from rule_effect where reader_id = $1 and item_id = any($2::bigint[]) and rule_id > 0`,
      [readerId, itemIds],
    );
  }

  /** Of these changed articles, the items that came after the first document of their feed. */
  async afterFirstDocument(
    readerId: number,
    changed: readonly { readonly itemId: number; readonly articleId: number }[],
    tx: SqlRunner,
  ): Promise<ReadonlySet<number>> {
    const begun = await tx.query<{ itemId: number; startedRev: number }>(
      `select item.id as "itemId", coalesce(s.started_rev, 0) as "startedRev"
         from item join subscription s on s.reader_id = $1 and s.id = item.subscription_id
        where item.reader_id = $1 and item.id = any($2::bigint[]) and not item.late`,
      [readerId, changed.map(({ itemId }) => itemId)],
    );
    const revs = new Map(begun.map(({ itemId, startedRev }) => [itemId, startedRev]));
    const rows = await tx.query<{ itemId: number }>(
      `select given.item_id as "itemId"
         from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as given (item_id, article_id, rev)
         join article on article.id = given.article_id and article.first_rev > greatest(given.rev, 1)`,
      [
        changed.map(({ itemId }) => itemId),
        changed.map(({ articleId }) => articleId),
        // A late one has no revision that it could exceed.
        changed.map(({ itemId }) => revs.get(itemId) ?? Number.MAX_SAFE_INTEGER),
      ],
    );
    return new Set(rows.map(({ itemId }) => itemId));
  }

  /**
   * After a change of items by others than their user: what had their former stamps gets the present one.
   */
  async carry(
    reader: LockedReader,
    items: readonly { readonly itemId: number; readonly formerMicros: number }[],
    tx: SqlRunner,
  ): Promise<void> {
    if (items.length === 0) {
      return;
    }
    const params = [
      reader.id,
      reader.stampMicros,
      items.map(({ itemId }) => itemId),
      items.map(({ formerMicros }) => formerMicros),
    ];
    const moved = 'unnest($3::bigint[], $4::bigint[]) as moved (item_id, former_micros)';
    await tx.query(
      `update rule_effect set stamp_micros = $2 from ${moved}
        where rule_effect.reader_id = $1 and rule_effect.item_id = moved.item_id
          and rule_effect.stamp_micros = moved.former_micros`,
      params,
    );
    await tx.query(
      `insert into item_mark (reader_id, item_id, untouched_micros)
       select $1, moved.item_id, $2
         from ${moved}
         join item on item.reader_id = $1 and item.id = moved.item_id
         left join item_mark mark on mark.reader_id = $1 and mark.item_id = moved.item_id
        where moved.former_micros in (item.arrived_micros, mark.untouched_micros)
          and not exists (select 1 from rule_effect done
                           where done.reader_id = $1 and done.item_id = moved.item_id and done.covered)
       on conflict (reader_id, item_id) do update
          set untouched_micros = excluded.untouched_micros`,
      params,
    );
  }

  /** The publisher made these items unread: what rules marked before is no more, but what they hid is. */
  async reopen(readerId: number, itemIds: readonly number[], tx: SqlRunner): Promise<void> {
    if (itemIds.length > 0) {
      await tx.query(
        `update rule_effect
            set covered = false,
                undone_at = case when effect = 'read' then coalesce(undone_at, $3::timestamptz) else undone_at end
          where reader_id = $1 and item_id = any($2::bigint[]) and effect in ('read', 'hide')`,
        [readerId, itemIds, new Date()],
      );
    }
  }

  /** An item is kept by its user from now on: no undoing releases it. */
  async retainForUser(readerId: number, itemId: number, tx: SqlRunner): Promise<void> {
    await tx.query(
      `insert into item_mark as mark (reader_id, item_id, retained) values ($1, $2, true)
       on conflict (reader_id, item_id) do update set retained = true where not mark.retained`,
      [readerId, itemId],
    );
    await tx.query(
      `update rule_effect set undone_at = now()
        where reader_id = $1 and item_id = $2 and effect = 'retain' and undone_at is null`,
      [readerId, itemId],
    );
  }

  /** Does and remembers what `effectsOn` says, with the stamp of the transaction. */
  async carryOut(
    reader: LockedReader,
    items: readonly ItemEffects[],
    tx: SqlRunner,
  ): Promise<void> {
    const changed = items.filter(({ isChanged }) => isChanged);
    await this.carry(
      reader,
      changed.flatMap(({ itemId, formerMicros }) =>
        formerMicros === null ? [] : [{ itemId, formerMicros }],
      ),
      tx,
    );
    await setFlags(
      reader,
      changed.map(({ itemId, read, hide, star }) => ({
        itemId,
        unread: read ? false : null,
        filtered: hide ? true : null,
        starred: star ? true : null,
      })),
      tx,
    );
    const labelled = changed.flatMap(({ itemId, labelIds }) =>
      labelIds.map((labelId) => ({ itemId, labelId })),
    );
    if (labelled.length > 0) {
      await tx.query(
        `insert into item_label (reader_id, item_id, label_id)
         select $1, item_id, label_id
           from unnest($2::bigint[], $3::bigint[]) as given (item_id, label_id)
         on conflict do nothing`,
        [reader.id, labelled.map(({ itemId }) => itemId), labelled.map(({ labelId }) => labelId)],
      );
    }
    const retainedForUser = await keptByNoRule(
      reader.id,
      items.filter(({ retain }) => retain).map(({ itemId }) => itemId),
      tx,
    );
    await mark(
      reader.id,
      items.filter(({ hide, retain, fulltext }) => hide || retain || fulltext),
      tx,
    );
    const completed = items.filter(({ fulltext }) => fulltext).map(({ itemId }) => itemId);
    if (completed.length > 0) {
      const rows = await tx.query<{ articleId: number }>(
        'select article_id as "articleId" from item where reader_id = $1 and id = any($2::bigint[])',
        [reader.id, completed],
      );
      await this.fullText.want(
        rows.map(({ articleId }) => articleId),
        tx,
      );
    }
    const effects = items.flatMap(({ itemId, effects: some, isChanged, formerMicros }) =>
      some
        .filter(({ effect }) => effect !== 'retain' || !retainedForUser.has(itemId))
        .map((one) => ({
          ...one,
          itemId,
          stamp: isChanged ? reader.stampMicros : (formerMicros ?? reader.stampMicros),
        })),
    );
    if (effects.length > 0) {
      await tx.query(INSERT_EFFECTS, [
        reader.id,
        effects.map(({ itemId }) => itemId),
        effects.map(({ ruleId }) => ruleId),
        effects.map(({ effect }) => effect),
        effects.map(({ labelId }) => labelId),
        effects.map(({ stamp }) => stamp),
      ]);
    }
  }

  /**
   * Undoes effects of a rule on a batch of items with ids above `afterItemId`: where nobody else changed the
   * item since, and no other rule wants the same.
   *
   * @param among items; null is all
   * @returns the undone items, and the last of the batch; null when there are no more
   */
  async undo(
    reader: LockedReader,
    ruleId: number,
    afterItemId: number,
    limit: number,
    tx: SqlRunner,
    among: readonly number[] | null = null,
  ): Promise<{ readonly undone: number; readonly lastItemId: number } | null> {
    const given = await tx.query<UndoneItem>(
      `with given as materialized (
         select distinct item_id from rule_effect
          where reader_id = $1 and rule_id = $2 and item_id > $3 and undone_at is null
            and ($5::bigint[] is null or item_id = any($5))
          order by item_id limit $4
       )
       select given.item_id as "itemId", item.last_modified_micros as "formerMicros", item.unread,
              item.starred, item.filtered,
              coalesce(bool_or(own), false) as "isOwn",
              bool_or(own and effect in ('read', 'hide')) and not bool_or(covered) and not item.unread
                and not bool_or(not own and effect in ('read', 'hide')) as "unreads",
              bool_or(own and effect = 'hide')
                and not bool_or(not own and effect = 'hide') as "shows",
              bool_or(own and effect = 'star')
                and not bool_or(not own and effect = 'star') as "unstars",
              bool_or(own and effect = 'retain')
                and not bool_or(not own and effect = 'retain') as "releases",
              bool_or(own and effect = 'fulltext')
                and not bool_or(not own and effect = 'fulltext') as "shortens",
              coalesce(array_agg(label_id) filter (where own and label_id > 0), '{}') as "labelIds",
              coalesce(array_agg(label_id) filter (where not own and label_id > 0), '{}') as "kept"
         from given
         left join item on item.reader_id = $1 and item.id = given.item_id
         left join (select rule_effect.*, rule_id = $2 as own from rule_effect
                     where reader_id = $1 and undone_at is null) done
                on done.item_id = given.item_id and done.stamp_micros = item.last_modified_micros
        group by given.item_id, item.last_modified_micros, item.unread, item.starred, item.filtered
        order by given.item_id`,
      [reader.id, ruleId, afterItemId, limit, among],
    );
    const last = given.at(-1);
    if (last === undefined) {
      return null;
    }
    const untouched = given.filter(({ isOwn }) => isOwn);
    const labels = untouched.flatMap(({ itemId, labelIds, kept }) =>
      labelIds.filter((id) => !kept.includes(id)).map((labelId) => ({ itemId, labelId })),
    );
    const losingLabels = new Set(labels.map(({ itemId }) => itemId));
    const changed = untouched.filter(
      ({ itemId, unreads, shows, unstars }) =>
        unreads || shows || unstars || losingLabels.has(itemId),
    );
    await setFlags(
      reader,
      changed.map(({ itemId, unreads, shows, unstars }) => ({
        itemId,
        unread: unreads ? true : null,
        filtered: shows ? false : null,
        starred: unstars ? false : null,
      })),
      tx,
    );
    if (labels.length > 0) {
      await tx.query(
        `delete from item_label using unnest($2::bigint[], $3::bigint[]) as given (item_id, label_id)
          where item_label.reader_id = $1 and item_label.item_id = given.item_id
            and item_label.label_id = given.label_id`,
        [reader.id, labels.map(({ itemId }) => itemId), labels.map(({ labelId }) => labelId)],
      );
    }
    await unmark(reader.id, untouched, tx);
    await tx.query(
      `update rule_effect set undone_at = now()
        where reader_id = $1 and rule_id = $2 and item_id = any($3::bigint[]) and undone_at is null`,
      [reader.id, ruleId, untouched.map(({ itemId }) => itemId)],
    );
    await this.carry(reader, changed, tx);
    return { undone: untouched.length, lastItemId: last.itemId };
  }

  /** A page of what a rule did, newest first. @param beforeId exclusive; null begins with the newest */
  async list(
    readerId: number,
    ruleId: number,
    beforeId: number | null,
    limit: number,
  ): Promise<ListedEffect[]> {
    return this.database.query<ListedEffect>(
      `select done.id, extract(epoch from done.at)::bigint as "atSeconds", done.effect,
              done.item_id as "itemId", article.title, done.feed_id as "feedId",
              extract(epoch from done.undone_at)::bigint as "undoneAtSeconds"
         from (select rule_effect.*, item.subscription_id as feed_id, item.article_id
                 from rule_effect
                 join item on item.reader_id = $1 and item.id = rule_effect.item_id
                where rule_effect.reader_id = $1 and rule_id = $2
                  and ($3::bigint is null or rule_effect.id < $3)
                order by rule_effect.id desc limit $4 offset 0) done
         join article on article.id = done.article_id
        order by done.id desc`,
      [readerId, ruleId, beforeId, limit],
    );
  }

  /**
   * Forgets what is older than 30 days, and of a reader all but the latest `keep` of rules; and marks of items that
   * are gone.
   */
  async forgetOld(keep: number): Promise<void> {
    const readers = await this.database.query<{ id: number }>(
      'select reader_id as id from rule_effect where rule_id > 0 group by reader_id having count(*) > $1',
      [keep],
    );
    for (const { id } of readers) {
      await this.database.query(
        `delete from rule_effect where reader_id = $1 and rule_id > 0 and id <= (
           select id from rule_effect where reader_id = $1 and rule_id > 0
            order by id desc offset $2 limit 1)`,
        [id, keep],
      );
    }
    await this.database.query("delete from rule_effect where at < now() - interval '30 days'");
    await this.database.query(
      `delete from item_mark where not exists (
         select 1 from item where item.reader_id = item_mark.reader_id and item.id = item_mark.item_id)`,
    );
  }
}

/** An item with effects to be undone, and what that does to it. */
interface UndoneItem {
  readonly itemId: number;
  readonly formerMicros: number;
  /** False for one that was touched since. */
  readonly isOwn: boolean;
  readonly unreads: boolean;
  readonly shows: boolean;
  readonly unstars: boolean;
  readonly releases: boolean;
  readonly shortens: boolean;
  readonly labelIds: readonly number[];
  readonly kept: readonly number[];
}

/** New flags of an item; null keeps the present one. */
interface NewFlags {
  readonly itemId: number;
  readonly unread: boolean | null;
  readonly filtered: boolean | null;
  readonly starred: boolean | null;
}

/** Sets flags, and stamps all of these items. */
async function setFlags(
  reader: LockedReader,
  items: readonly NewFlags[],
  tx: SqlRunner,
): Promise<void> {
  if (items.length === 0) {
    return;
  }
  await tx.query(
    `with changed as (
       update item set unread = coalesce(given.unread, item.unread),
                       filtered = coalesce(given.filtered, item.filtered),
                       starred = coalesce(given.starred, item.starred),
                       last_modified_micros = $2
         from unnest($3::bigint[], $4::boolean[], $5::boolean[], $6::boolean[])
              as given (id, unread, filtered, starred)
         join item former on former.reader_id = $1 and former.id = given.id
        where item.reader_id = $1 and item.id = given.id
       returning item.id, item.subscription_id, item.unread::int - former.unread::int as unread,
                 item.starred::int - former.starred::int as starred
     ), ${keepCounts('$1', '$2')} select`,
    [
      reader.id,
      reader.stampMicros,
      items.map(({ itemId }) => itemId),
      items.map(({ unread }) => unread),
      items.map(({ filtered }) => filtered),
      items.map(({ starred }) => starred),
    ],
  );
}

/** Those of these items that are retained, and by no rule. */
async function keptByNoRule(
  readerId: number,
  itemIds: readonly number[],
  tx: SqlRunner,
): Promise<ReadonlySet<number>> {
  const rows =
    itemIds.length === 0
      ? []
      : await tx.query<{ itemId: number }>(
          `select item_id as "itemId" from item_mark mark
            where reader_id = $1 and item_id = any($2::bigint[]) and retained
              and not exists (select 1 from rule_effect done
                               where done.reader_id = $1 and done.item_id = mark.item_id
                                 and done.effect = 'retain' and done.undone_at is null)`,
          [readerId, itemIds],
        );
  return new Set(rows.map(({ itemId }) => itemId));
}

async function mark(
  readerId: number,
  items: readonly Pick<ItemEffects, 'itemId' | 'hide' | 'retain' | 'fulltext'>[],
  tx: SqlRunner,
): Promise<void> {
  if (items.length > 0) {
    await tx.query(
      `insert into item_mark as mark (reader_id, item_id, hidden, retained, full_text)
       select $1, id, hidden, retained, full_text
         from unnest($2::bigint[], $3::boolean[], $4::boolean[], $5::boolean[])
              as given (id, hidden, retained, full_text)
       on conflict (reader_id, item_id) do update
          set hidden = mark.hidden or excluded.hidden,
              retained = mark.retained or excluded.retained,
              full_text = mark.full_text or excluded.full_text`,
      [
        readerId,
        items.map(({ itemId }) => itemId),
        items.map(({ hide }) => hide),
        items.map(({ retain }) => retain),
        items.map(({ fulltext }) => fulltext),
      ],
    );
  }
}

async function unmark(
  readerId: number,
  items: readonly UndoneItem[],
  tx: SqlRunner,
): Promise<void> {
  await tx.query(
    `update item_mark mark set hidden = hidden and not shows,
                               retained = retained and not releases,
                               full_text = full_text and not shortens
       from unnest($2::bigint[], $3::boolean[], $4::boolean[], $5::boolean[])
            as given (id, shows, releases, shortens)
      where mark.reader_id = $1 and mark.item_id = given.id`,
    [
      readerId,
      items.map(({ itemId }) => itemId),
      items.map(({ shows }) => shows),
      items.map(({ releases }) => releases),
      items.map(({ shortens }) => shortens),
    ],
  );
}
