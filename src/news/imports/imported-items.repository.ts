import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../database/database.js';
import type { ParsedFeed } from '../feed-parser/parsed-feed.js';
import { NO_HINTS } from '../feed-parser/parsed-feed.js';
import { itemDate } from '../reader/delivery/found-changes.sql.js';
import { recordItemEvents } from '../reader/delivery/item-events.sql.js';
import { moveStamp } from '../reader/delivery/kept-counts.sql.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import {
  insertArticles,
  writeDocument,
  type NewArticle,
} from '../sources/articles/article-writes.sql.js';
import { hexBytes } from '../sources/articles/known-articles.sql.js';

/** An article that is stored anew, and the item of it. */
export interface NewImport {
  readonly feedId: number;
  readonly sourceId: number;
  readonly article: NewArticle;
  readonly unread: boolean;
  readonly starred: boolean;
}

/** The state of an item before an import changes it. */
export interface ItemState {
  readonly itemId: number;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly lastModifiedMicros: number;
  readonly labelNames: readonly string[];
}

/** The hash of a document that was not fetched. */
const NO_BODY = Buffer.alloc(32);

/**
 * Items of imports, whose articles are of sources of the user's own. They are no news: no rule, filter, story, task
 * or notice sees them arrive. Called under the lock of the reader.
 *
 * @see docs/decisions/0113-imports.md
 */
@Injectable()
export class ImportedItemsRepository {
  /** So that what others add to these sources is delivered before, and not passed over. */
  async lockSources(userId: string, tx: SqlRunner): Promise<void> {
    await tx.query('select id from source where given_to = $1 order by id for update', [userId]);
  }

  /** Describes a source that was just made, so that the clean-up looks at its articles. */
  async describe(
    sourceId: number,
    { title, link }: Pick<ParsedFeed, 'title' | 'link'>,
    tx: SqlRunner,
  ): Promise<void> {
    const feed = { title, link, iconUrl: null, items: [], publishing: NO_HINTS, warning: null };
    const listing = { bodyHash: NO_BODY, articleIds: [], pubDatesSeconds: [] };
    await writeDocument(sourceId, { ...feed, cut: false }, listing, tx);
  }

  /** The items that stand for others of them since feeds were merged, by the others' ids. */
  async merged(
    readerId: number,
    itemIds: readonly number[],
    tx: SqlRunner,
  ): Promise<Map<number, number>> {
    const rows = await tx.query<{ id: number; intoId: number }>(
      `select item_id as id, duplicate_of as "intoId" from item_mark
        where reader_id = $1 and item_id = any($2::bigint[]) and merged and duplicate_of is not null`,
      [readerId, itemIds],
    );
    return new Map(rows.map(({ id, intoId }) => [id, intoId]));
  }

  async states(
    readerId: number,
    itemIds: readonly number[],
    tx: SqlRunner,
  ): Promise<Map<number, ItemState>> {
    const items = await tx.query<ItemState>(
      `select id as "itemId", unread, starred, last_modified_micros as "lastModifiedMicros",
              array(select label.name from item_label
                      join label on label.reader_id = $1 and label.id = item_label.label_id
                     where item_label.reader_id = $1 and item_label.item_id = item.id) as "labelNames"
         from item where reader_id = $1 and id = any($2::bigint[])`,
      [readerId, itemIds],
    );
    return new Map(items.map((item) => [item.itemId, item]));
  }

  /** In the given order, which is that of the ids. @returns the ids of the items */
  async create(
    reader: LockedReader,
    imports: readonly NewImport[],
    tx: SqlRunner,
  ): Promise<number[]> {
    if (imports.length === 0) {
      return [];
    }
    const sourceIds = [...new Set(imports.map(({ sourceId }) => sourceId))];
    const revisions = await tx.query<{ id: number; rev: number }>(
      `update source set rev = rev + 1, fetched_at = now() where id = any($1::bigint[])
       returning id, rev`,
      [sourceIds],
    );
    const revs = new Map(revisions.map(({ id, rev }) => [id, rev]));
    const articleIds = await this.#createArticles(imports, revs, tx);
    const [next] = await tx.query<{ itemId: number }>(
      'select next_item_id as "itemId" from reader where id = $1',
      [reader.id],
    );
    const itemIds = imports.map((_, place) => (next?.itemId ?? 0) + place);
    // Of one server of a cluster, as a part of the transaction.
    await tx.query(
      `insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread, starred,
                         late, date_seconds, arrived_micros)
       select reader.id, given.id, subscription_id, article_id, $2::bigint, unread, starred, late,
              ${itemDate('pub_date_seconds', '$2')}, $2::bigint
         from reader
        cross join unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[], $7::boolean[],
                          $8::boolean[], $9::bigint[])
              as given (id, subscription_id, article_id, unread, starred, late, pub_date_seconds)
        where reader.id = $1`,
      [
        reader.id,
        reader.stampMicros,
        itemIds,
        imports.map(({ feedId }) => feedId),
        articleIds.map(({ id }) => id),
        imports.map(({ unread }) => unread),
        imports.map(({ starred }) => starred),
        articleIds.map(({ isOld }) => isOld),
        imports.map(({ article: { item } }) => item.pubDateSeconds ?? nowSeconds(reader)),
      ],
    );
    await tx.query(
      `with gained as (
         select feed_id, source_rev, sum(unread::int) as unread, sum(starred::int) as starred
           from unnest($3::bigint[], $4::bigint[], $5::boolean[], $6::boolean[])
                as given (feed_id, source_rev, unread, starred) group by feed_id, source_rev
       ), counted as (
         -- As its first document, after which news begins.
         update subscription
            set delivered_rev = source_rev, started_rev = source_rev, start_unread = null,
                unread_count = unread_count + gained.unread, starred_count = starred_count + gained.starred
           from gained where subscription.reader_id = $1 and subscription.id = gained.feed_id
       )
       update reader set next_item_id = $7, ${moveStamp('$2')} where id = $1`,
      [
        reader.id,
        reader.stampMicros,
        imports.map(({ feedId }) => feedId),
        imports.map(({ sourceId }) => revs.get(sourceId)),
        imports.map(({ unread }) => unread),
        imports.map(({ starred }) => starred),
        (itemIds.at(-1) ?? 0) + 1,
      ],
    );
    if (reader.areEventsWanted) {
      const arrived = `select unnest($2::bigint[]) as id, 'ItemsDeliveredEvent' as subtype`;
      await tx.query(`with ${recordItemEvents('$1', arrived)} select`, [reader.id, itemIds]);
    }
    return itemIds;
  }

  /** An article that is left of a former import is used again. */
  async #createArticles(
    imports: readonly NewImport[],
    revs: ReadonlyMap<number, number>,
    tx: SqlRunner,
  ): Promise<{ readonly id: number; readonly isOld: boolean }[]> {
    const known = await tx.query<{ id: number; key: string }>(
      `select id, source_id || '/' || encode(guid_hash, 'hex') as key from article
        where source_id = any($1::bigint[]) and guid_hash = any($2::bytea[])`,
      [[...revs.keys()], imports.map(({ article: { name } }) => hexBytes(name.guidHash))],
    );
    const idOf = new Map(known.map(({ id, key }) => [key, id]));
    const keyOf = ({ sourceId, article: { name } }: NewImport) => `${sourceId}/${name.guidHash}`;
    const fresh = imports.filter((one) => !idOf.has(keyOf(one)));
    const made = await tx.query<{ id: number; seconds: number }>(
      `select nextval(pg_get_serial_sequence('article', 'id')) as id,
              extract(epoch from now())::bigint as seconds
         from generate_series(1, $1)`,
      [fresh.length],
    );
    const ids = new Map(fresh.map((one, place) => [one, made[place]?.id ?? 0]));
    for (const [sourceId, some] of Map.groupBy(fresh, (one) => one.sourceId)) {
      const revision = {
        rev: revs.get(sourceId) ?? 0,
        taken: some.length,
        articleIds: some.map((one) => ids.get(one) ?? 0),
        nowSeconds: made[0]?.seconds ?? 0,
        isAwaited: false,
      };
      await insertArticles(
        sourceId,
        revision,
        some.map(({ article }) => article),
        [],
        tx,
      );
    }
    return imports.map((one) => {
      const old = idOf.get(keyOf(one));
      return { id: old ?? ids.get(one) ?? 0, isOld: old !== undefined };
    });
  }

  /**
   * Removes items that an import made and nobody touched since, with what it put on them.
   *
   * @param ruleId of the import among the effects of rules
   * @returns how many; 0 at the end
   */
  async removeUntouched(
    reader: LockedReader,
    importId: number,
    ruleId: number,
    limit: number,
    tx: SqlRunner,
  ): Promise<number> {
    const gone = await tx.query<{ id: number }>(
      `select item.id
         from imported_article done
         join item on item.reader_id = $1 and item.id = done.item_id
         join rule_effect made on made.reader_id = $1 and made.item_id = item.id and made.rule_id = $3
                              and made.effect = 'retain' and made.undone_at is null
                              and made.stamp_micros = item.last_modified_micros
        where done.reader_id = $1 and done.import_id = $2 and done.created
          and not exists (select 1 from rule_effect other
                           where other.reader_id = $1 and other.item_id = item.id
                             and other.rule_id < 0 and other.rule_id <> $3 and other.undone_at is null)
          and not exists (select 1 from item_highlight own
                           where own.reader_id = $1 and own.item_id = item.id
                             and (own.id <> all(done.highlight_ids) or own.changed_at <> own.created_at))
          and not exists (select 1 from playback_position played
                           where played.reader_id = $1 and played.item_id = item.id)
        order by item.id limit $4`,
      [reader.id, importId, ruleId, limit],
    );
    const ids = gone.map(({ id }) => id);
    if (ids.length === 0) {
      return 0;
    }
    await tx.query(
      `with lost as (
         select subscription_id, sum(unread::int) as unread, sum(starred::int) as starred
           from item where reader_id = $1 and id = any($2::bigint[]) group by subscription_id
       )
       update subscription set unread_count = unread_count - lost.unread,
                               starred_count = starred_count - lost.starred
         from lost where subscription.reader_id = $1 and subscription.id = lost.subscription_id`,
      [reader.id, ids],
    );
    for (const table of ['item_label', 'item_mark', 'item_highlight', 'rule_effect']) {
      await tx.query(`delete from ${table} where reader_id = $1 and item_id = any($2::bigint[])`, [
        reader.id,
        ids,
      ]);
    }
    await tx.query('delete from item where reader_id = $1 and id = any($2::bigint[])', [
      reader.id,
      ids,
    ]);
    return ids.length;
  }
}

const nowSeconds = ({ stampMicros }: LockedReader) => Math.floor(stampMicros / 1_000_000);
