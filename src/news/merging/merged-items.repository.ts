import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../database/database.js';
import { keepCounts, moveStamp } from '../reader/delivery/kept-counts.sql.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { IS_UNTOUCHED, RuleEffectsRepository } from '../reader/rules/rule-effects.repository.js';

/** Which feed's items go where. */
interface ItemMove {
  readonly fromId: number;
  readonly intoId: number;
  /** All sources that either feed has or had. */
  readonly sourceIds: readonly number[];
}

/** An item of the feed that goes, and the other feed's item of the same article. */
interface SamePair {
  readonly itemId: number;
  readonly intoItemId: number;
  /** Whether they show the same row of `article`, of which a feed has one item. */
  readonly isSameRow: boolean;
}

/** SQL of the pairs, given as `$2` and `$3`, with the items that go. */
const PAIRS = `unnest($2::bigint[], $3::bigint[]) as pair (item_id, into_id)
     join item on item.reader_id = $1 and item.id = pair.item_id`;

/** SQL of whether the user, not only a filter or a rule, has read `item`. */
const IS_READ_BY_USER = `not item.unread and not item.filtered
  and not exists (select 1 from rule_effect done
                   where done.reader_id = $1 and done.item_id = item.id and done.effect in ('read', 'hide')
                     and done.undone_at is null and not done.covered)`;

/** The items of two feeds that are merged. Called under the lock of the reader. */
@Injectable()
export class MergedItemsRepository {
  constructor(private readonly effects: RuleEffectsRepository) {}

  /**
   * Moves all items of a feed into another. Where that has the article as well, its item gets the flags,
   * labels and marks of both, and the other one stays as a read one that lists of the pages leave out, since
   * clients know its id. Costs the items of both feeds.
   */
  async move(reader: LockedReader, move: ItemMove, tx: SqlRunner): Promise<void> {
    const pairs = await this.#findPairs(reader.id, move, tx);
    const formers = await this.#untouched(reader.id, move.fromId, pairs, tx);
    if (pairs.length > 0) {
      const untouched = formers.map(({ itemId }) => itemId);
      await this.#unite(reader, pairs, untouched, tx);
    }
    await this.#moveAll(reader, move, tx);
    await this.effects.carry(reader, formers, tx);
  }

  /** By their guids, or by links that no other item of either feed has. */
  async #findPairs(
    readerId: number,
    { fromId, intoId, sourceIds }: ItemMove,
    tx: SqlRunner,
  ): Promise<SamePair[]> {
    return tx.query<SamePair>(
      `with had as materialized (
         select item.id, item.subscription_id, item.article_id, coalesce(mark.hidden, false) as is_hidden
           from item left join item_mark mark on mark.reader_id = $1 and mark.item_id = item.id
          where item.reader_id = $1 and item.subscription_id in ($2, $3)
       ), known as materialized (
         select had.*, article.guid_hash, article.url,
                count(*) over (partition by had.subscription_id, article.url) as of_link
           from had join article on article.id = had.article_id
          where article.source_id = any($4::bigint[])
       )
       select distinct on (item_id) item_id as "itemId", into_id as "intoItemId", is_same as "isSameRow"
         from (select a.id as item_id, b.id as into_id, a.article_id = b.article_id as is_same, 1 as place,
                      b.is_hidden
                 from known a join known b on b.guid_hash = a.guid_hash
                where a.subscription_id = $2 and b.subscription_id = $3
                union all
               select a.id, b.id, false, 2, b.is_hidden
                 from known a join known b on b.url = a.url
                where a.subscription_id = $2 and b.subscription_id = $3
                  and a.of_link = 1 and b.of_link = 1) pair
        order by item_id, is_same desc, place, is_hidden, into_id`,
      [readerId, fromId, intoId, sourceIds],
    );
  }

  /**
   * The items that are stamped though their user has not changed them, so that rules can still be undone: of a
   * pair neither may be. Empty for readers without rules.
   */
  async #untouched(
    readerId: number,
    fromId: number,
    pairs: readonly SamePair[],
    tx: SqlRunner,
  ): Promise<{ readonly itemId: number; readonly formerMicros: number }[]> {
    const items = await tx.query<{ itemId: number; formerMicros: number }>(
      `select id as "itemId", last_modified_micros as "formerMicros" from item
        where reader_id = $1 and (subscription_id = $2 or id = any($3::bigint[])) and ${IS_UNTOUCHED}
          and exists (select 1 from rule where rule.reader_id = $1)`,
      [readerId, fromId, pairs.map(({ intoItemId }) => intoItemId)],
    );
    const ids = new Set(items.map(({ itemId }) => itemId));
    const touched = new Set(
      pairs.flatMap(({ itemId, intoItemId }) =>
        ids.has(itemId) ? [itemId] : [itemId, intoItemId],
      ),
    );
    return items.filter(({ itemId }) => !touched.has(itemId));
  }

  /** @param untouchedIds those whose rules' effects can still be undone */
  async #unite(
    reader: LockedReader,
    pairs: readonly SamePair[],
    untouchedIds: readonly number[],
    tx: SqlRunner,
  ): Promise<void> {
    const itemIds = pairs.map(({ itemId }) => itemId);
    const params = [reader.id, itemIds, pairs.map(({ intoItemId }) => intoItemId)];
    await tx.query(
      `update rule_effect set covered = true from ${PAIRS}
        where rule_effect.reader_id = $1 and rule_effect.item_id = pair.into_id
          and rule_effect.effect in ('read', 'hide') and ${IS_READ_BY_USER}`,
      params,
    );
    await tx.query(
      `insert into rule_effect (reader_id, item_id, rule_id, effect, label_id, stamp_micros, at, undone_at, covered)
       select $1, pair.into_id, done.rule_id, done.effect, done.label_id,
              case when done.stamp_micros = item.last_modified_micros and pair.into_id = any($5::bigint[])
                   then $4::bigint else 0 end,
              done.at, done.undone_at, done.covered
         from ${PAIRS}
         join rule_effect done on done.reader_id = $1 and done.item_id = item.id
        where done.effect not in ('read', 'hide', 'stop')
       on conflict do nothing`,
      [...params, reader.stampMicros, untouchedIds],
    );
    await tx.query(
      `insert into item_label (reader_id, item_id, label_id)
       select $1, pair.into_id, own.label_id
         from ${PAIRS} join item_label own on own.reader_id = $1 and own.item_id = item.id
       on conflict do nothing`,
      params,
    );
    await tx.query(
      `insert into item_mark as mark (reader_id, item_id, retained, full_text)
       select $1, pair.into_id, bool_or(own.retained), bool_or(own.full_text)
         from ${PAIRS} join item_mark own on own.reader_id = $1 and own.item_id = item.id
        where own.retained or own.full_text group by pair.into_id
       on conflict (reader_id, item_id) do update
          set retained = mark.retained or excluded.retained,
              full_text = mark.full_text or excluded.full_text`,
      params,
    );
    await tx.query(
      `insert into playback_position (reader_id, item_id, position_seconds, duration_seconds, device, listened_at)
       select $1, pair.into_id, own.position_seconds, own.duration_seconds, own.device, own.listened_at
         from ${PAIRS} join playback_position own on own.reader_id = $1 and own.item_id = item.id
       on conflict do nothing`,
      params,
    );
    await tx.query(
      `with given as materialized (
         select pair.into_id, bool_or(item.starred) as starred, bool_or(${IS_READ_BY_USER}) as is_read
           from ${PAIRS} group by pair.into_id
       ), changed as (
         update item set unread = former.unread and not given.is_read,
                         starred = former.starred or given.starred, last_modified_micros = $4
           from given join item former on former.reader_id = $1 and former.id = given.into_id
          where item.reader_id = $1 and item.id = former.id
         returning item.id, item.subscription_id, item.unread::int - former.unread::int as unread,
                   item.starred::int - former.starred::int as starred
       ), ${keepCounts('$1', '$4')} select`,
      [...params, reader.stampMicros],
    );
    const sameRows = pairs.filter(({ isSameRow }) => isSameRow).map(({ itemId }) => itemId);
    await this.#putAside(reader, itemIds, sameRows, tx);
  }

  /** The items of the feed that goes whose state the other feed's items have now. */
  async #putAside(
    reader: LockedReader,
    itemIds: readonly number[],
    goneIds: readonly number[],
    tx: SqlRunner,
  ): Promise<void> {
    for (const table of ['item_label', 'playback_position']) {
      await tx.query(`delete from ${table} where reader_id = $1 and item_id = any($2::bigint[])`, [
        reader.id,
        itemIds,
      ]);
    }
    await tx.query(
      `insert into item_mark (reader_id, item_id, hidden) select $1, id, true from unnest($2::bigint[]) as given (id)
       on conflict (reader_id, item_id) do update
          set hidden = true, retained = false, full_text = false, untouched_micros = null`,
      [reader.id, itemIds],
    );
    await tx.query(
      `with changed as (
         update item set unread = false, starred = false, filtered = true, last_modified_micros = $3
           from item former
          where item.reader_id = $1 and item.id = any($2::bigint[])
            and former.reader_id = $1 and former.id = item.id
         returning item.id, item.subscription_id, -former.unread::int as unread, -former.starred::int as starred
       ), ${keepCounts('$1', '$3')} select`,
      [reader.id, itemIds, reader.stampMicros],
    );
    await tx.query('delete from item where reader_id = $1 and id = any($2::bigint[])', [
      reader.id,
      goneIds,
    ]);
  }

  /** They leave the order of articles, which differs between sources. */
  async #moveAll(reader: LockedReader, { fromId, intoId }: ItemMove, tx: SqlRunner): Promise<void> {
    await tx.query('delete from late_delivery where subscription_id = $1', [fromId]);
    await tx.query(
      `insert into former_source as known (reader_id, subscription_id, source_id, delivered_rev, started_rev)
       select $1, $3, had.source_id, max(had.delivered_rev), min(had.started_rev)
         from (select source_id, delivered_rev, started_rev from subscription
                where reader_id = $1 and id = $2
               union all
               select source_id, delivered_rev, started_rev from former_source
                where reader_id = $1 and subscription_id = $2) had
        where had.source_id <> (select source_id from subscription where reader_id = $1 and id = $3)
          and had.delivered_rev >= 0
        group by had.source_id
       on conflict (reader_id, subscription_id, source_id) do update
          set delivered_rev = greatest(known.delivered_rev, excluded.delivered_rev),
              started_rev = least(known.started_rev, excluded.started_rev)`,
      [reader.id, fromId, intoId],
    );
    await tx.query(
      `with moved as (
         update item set subscription_id = $4, late = true, last_modified_micros = $2
          where reader_id = $1 and subscription_id = $3 returning 1
       ), counted as (
         update subscription set unread_count = subscription.unread_count + gone.unread_count,
                                 starred_count = subscription.starred_count + gone.starred_count
           from subscription gone
          where subscription.reader_id = $1 and subscription.id = $4
            and gone.reader_id = $1 and gone.id = $3
       )
       update reader set ${moveStamp('$2')} where id = $1 and exists (select 1 from moved)`,
      [reader.id, reader.stampMicros, fromId, intoId],
    );
  }
}
