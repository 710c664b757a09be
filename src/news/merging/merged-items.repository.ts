import { Injectable } from '@nestjs/common';
import type { MergedPair } from '../../common/ports/merged-items.js';
import type { SqlRunner } from '../../database/database.js';
import { coverEffects } from '../reader/delivery/covered-effects.sql.js';
import { countAgain, keepCounts, moveStamp } from '../reader/delivery/kept-counts.sql.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { IS_UNTOUCHED, RuleEffectsRepository } from '../reader/rules/rule-effects.repository.js';
import {
  ReaderStoriesRepository,
  type Pointer,
} from '../reader/stories/reader-stories.repository.js';

/** Which feed's items go where. */
interface ItemMove {
  readonly fromId: number;
  readonly intoId: number;
  /** All sources that either feed has or had. */
  readonly sourceIds: readonly number[];
}

/** An item of the feed that goes, and the other feed's item of the same article. */
interface SamePair extends MergedPair {
  /** Whether the other feed has the same row of `article`, of which a feed has one item. */
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
  constructor(
    private readonly effects: RuleEffectsRepository,
    private readonly stories: ReaderStoriesRepository,
  ) {}

  /**
   * Moves all items of a feed into another. Where that has the article as well, its item gets the flags,
   * labels, highlights and marks of both and the later position, and the other one stays as a read duplicate that
   * lists of the pages leave out, since clients know its id. Costs the items of both feeds.
   *
   * @returns the pairs of items of which one has everything now
   */
  async move(reader: LockedReader, move: ItemMove, tx: SqlRunner): Promise<readonly MergedPair[]> {
    const pairs = await this.#findPairs(reader.id, move, tx);
    await this.#repoint(reader, pairs, tx);
    const formers = await this.#untouched(reader, move.fromId, pairs, tx);
    if (pairs.length > 0) {
      const untouched = formers.map(({ itemId }) => itemId);
      await this.#unite(reader, pairs, untouched, tx);
    }
    await this.#moveAll(reader, move, tx);
    await this.effects.carry(reader, formers, tx);
    return pairs;
  }

  /** By their guids, or by links that no other item of either feed has. */
  async #findPairs(
    readerId: number,
    { fromId, intoId, sourceIds }: ItemMove,
    tx: SqlRunner,
  ): Promise<SamePair[]> {
    return tx.query<SamePair>(
      `with had as materialized (
         select item.id, item.subscription_id, item.article_id, shown.id as shown_id
           from item
           left join item_mark mark on mark.reader_id = $1 and mark.item_id = item.id and mark.merged
           left join item shown on shown.reader_id = $1 and shown.id = mark.duplicate_of
          where item.reader_id = $1 and item.subscription_id in ($2, $3)
       ), known as materialized (
         select had.*, article.guid_hash, article.url,
                count(*) filter (where shown_id is null)
                  over (partition by had.subscription_id, article.url) as of_link
           from had join article on article.id = had.article_id
          where article.source_id = any($4::bigint[])
       )
       select distinct on (item_id) item_id as "itemId", into_id as "intoItemId", is_same as "isSameRow"
         from (select a.id as item_id, coalesce(b.shown_id, b.id) as into_id,
                      a.article_id = b.article_id as is_same, 1 as place
                 from known a join known b on b.guid_hash = a.guid_hash
                where a.subscription_id = $2 and b.subscription_id = $3
                union all
               select a.id, coalesce(b.shown_id, b.id), false, 2
                 from known a join known b on b.url = a.url
                where a.subscription_id = $2 and b.subscription_id = $3
                  and a.of_link = 1 and b.of_link = 1) pair
        order by item_id, is_same desc, place, into_id`,
      [readerId, fromId, intoId, sourceIds],
    );
  }

  /** What has its story by an item that goes has it by the other feed's, which is read for it no more. */
  async #repoint(reader: LockedReader, pairs: readonly SamePair[], tx: SqlRunner): Promise<void> {
    const pointers = await tx.query<Pointer>(
      `select distinct on (item.id) item.id as "itemId", nullif(pair.into_id, item.id) as "keeperId",
              item.last_modified_micros as "formerMicros"
         from unnest($2::bigint[], $3::bigint[]) as pair (item_id, into_id)
         join item_mark mark on mark.reader_id = $1 and mark.duplicate_of = pair.item_id and not mark.merged
         join item on item.reader_id = $1 and item.id = mark.item_id`,
      [reader.id, pairs.map(({ itemId }) => itemId), pairs.map(({ intoItemId }) => intoItemId)],
    );
    const unread = pointers.flatMap(({ itemId, keeperId }) => (keeperId === null ? [itemId] : []));
    await this.stories.unfold(reader, unread, tx);
    await this.stories.point(reader, pointers, tx);
  }

  /**
   * The items that are stamped though their user has not changed them, so that rules and stories can still be
   * undone: of a pair neither may be. Empty for readers without either.
   */
  async #untouched(
    reader: LockedReader,
    fromId: number,
    pairs: readonly SamePair[],
    tx: SqlRunner,
  ): Promise<{ readonly itemId: number; readonly formerMicros: number }[]> {
    const items = await tx.query<{ itemId: number; formerMicros: number }>(
      `select id as "itemId", last_modified_micros as "formerMicros" from item
        where reader_id = $1 and (subscription_id = $2 or id = any($3::bigint[])) and ${IS_UNTOUCHED}
          and ($4 or exists (select 1 from rule where rule.reader_id = $1))`,
      [reader.id, fromId, pairs.map(({ intoItemId }) => intoItemId), reader.storiesOnce],
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
       select $1, pair.into_id, label_id
         from ${PAIRS} join item_label own on own.reader_id = $1 and own.item_id = item.id
       on conflict do nothing`,
      params,
    );
    await tx.query(
      `insert into playback_position as known
         (reader_id, item_id, position_seconds, duration_seconds, device, listened_at)
       select distinct on (pair.into_id) $1::bigint, pair.into_id, own.position_seconds, own.duration_seconds,
              own.device, own.listened_at
         from ${PAIRS} join playback_position own on own.reader_id = $1 and own.item_id = item.id
        order by pair.into_id, own.listened_at desc
       on conflict (reader_id, item_id) do update
          set position_seconds = excluded.position_seconds, device = excluded.device,
              duration_seconds = coalesce(excluded.duration_seconds, known.duration_seconds),
              listened_at = excluded.listened_at
        where known.listened_at < excluded.listened_at`,
      params,
    );
    for (const table of ['item_label', 'playback_position']) {
      await tx.query(`delete from ${table} where reader_id = $1 and item_id = any($2::bigint[])`, [
        reader.id,
        itemIds,
      ]);
    }
    await this.#moveHighlights(params, tx);
    await tx.query(
      `insert into item_mark as mark
         (reader_id, item_id, retained, highlighted, full_text, hidden, merged, duplicate_of)
       select $1, pair.into_id, bool_or(own.retained), bool_or(own.highlighted), bool_or(own.full_text),
              false, false, null
         from ${PAIRS} join item_mark own on own.reader_id = $1 and own.item_id = item.id
        where own.retained or own.highlighted or own.full_text group by pair.into_id
        union all
       select $1, pair.item_id, false, false, false, true, true, pair.into_id from ${PAIRS}
       on conflict (reader_id, item_id) do update
          set retained = (mark.retained or excluded.retained) and not excluded.merged,
              highlighted = (mark.highlighted or excluded.highlighted) and not excluded.merged,
              full_text = (mark.full_text or excluded.full_text) and not excluded.merged,
              hidden = mark.hidden or excluded.hidden, merged = mark.merged or excluded.merged,
              duplicate_of = coalesce(excluded.duplicate_of, mark.duplicate_of)`,
      params,
    );
    await tx.query(
      `with given as materialized (
         select pair.into_id as id, not bool_or(${IS_READ_BY_USER}) as unread, bool_or(item.starred) as starred,
                false as merged
           from ${PAIRS} group by pair.into_id
          union all
         select pair.item_id, false, false, true from ${PAIRS}
       ), changed as (
         update item set unread = former.unread and given.unread,
                         starred = given.starred or (former.starred and not given.merged),
                         filtered = former.filtered or given.merged, last_modified_micros = $4
           from given join item former on former.reader_id = $1 and former.id = given.id
          where item.reader_id = $1 and item.id = former.id
         returning item.id, item.subscription_id, item.unread::int - former.unread::int as unread,
                   item.starred::int - former.starred::int as starred
       ), ${coverEffects('item.id in (select id from given where not given.unread)')},
       ${keepCounts('$1', '$4')} select`,
      [...params, reader.stampMicros],
    );
    await tx.query('delete from item where reader_id = $1 and id = any($2::bigint[])', [
      reader.id,
      pairs.filter(({ isSameRow }) => isSameRow).map(({ itemId }) => itemId),
    ]);
  }

  /** With their ids. Notes of an item, of which it has one, become one. */
  async #moveHighlights(params: readonly unknown[], tx: SqlRunner): Promise<void> {
    await tx.query(
      `update item_highlight set item_id = pair.into_id from ${PAIRS}
        where item_highlight.reader_id = $1 and item_highlight.item_id = pair.item_id`,
      params,
    );
    await tx.query(
      `with had as materialized (
         select item_id, min(id) as id, string_agg(note, E'\\n\\n' order by id) as note from item_highlight
          where reader_id = $1 and item_id = any($2::bigint[]) and exact = ''
          group by item_id having count(*) > 1
       ), united as (
         update item_highlight own set note = had.note, changed_at = now() from had
          where own.reader_id = $1 and own.id = had.id
       )
       delete from item_highlight other using had
        where other.reader_id = $1 and other.item_id = had.item_id and other.exact = '' and other.id <> had.id`,
      [params[0], params[2]],
    );
  }

  /** They leave the order of articles, which differs between sources. */
  async #moveAll(reader: LockedReader, { fromId, intoId }: ItemMove, tx: SqlRunner): Promise<void> {
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
       )
       update reader set ${moveStamp('$2')} where id = $1 and exists (select 1 from moved)`,
      [reader.id, reader.stampMicros, fromId, intoId],
    );
    await countAgain(reader.id, tx);
  }
}
