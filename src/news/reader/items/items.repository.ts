import { Injectable } from '@nestjs/common';
import type { RowOfBytes } from '../../../database/byte-rows.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import type { Statement } from '../../../database/statement.js';
import { carryEffects } from '../delivery/covered-effects.sql.js';
import { moveStamp } from '../delivery/kept-counts.sql.js';
import { ReaderIdsRepository, type Reader } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import type { ReaderPosition } from '../delivery/readers.repository.js';
import { choiceOf, summary, translatedTitle } from './automatic-results.sql.js';
import {
  FlagChangesRepository,
  type FlagChange,
  type FlagsChanged,
} from './flag-changes.repository.js';
import {
  CHUNK_ITEMS,
  endOfChunk,
  idOfCut,
  idsInSteps,
  itemChunks,
  itemsThatFit,
  type PlanOfList,
} from './item-chunks.sql.js';
import {
  asJson,
  changedIds,
  changedItems,
  itemIds,
  itemList,
  jsonColumns,
  LISTED,
  NOT_MARKED_FOR_DELETION,
  withContents,
  type ItemPage,
  type ItemSelection,
} from './item-list.sql.js';
import type { OneItem } from './items.wire.js';

/** Identifies an item in level v1-2. */
export interface GuidHashPair {
  readonly feedId: number;
  /** MD5 of the guid, hexadecimal. */
  readonly guidHash: string;
}

/** Results of automatic tasks for `listed`; absent ones are omitted. */
const AUTOMATIC = `json_strip_nulls(json_build_object(
    'translatedTitle', ${translatedTitle('listed', 'listed.title')},
    'summary', ${summary('listed')}))`;

/** Labels, rules and highlights keep items as stars do. */
const IS_NOT_KEPT = `not exists (select 1 from item_label
  where item_label.reader_id = item.reader_id and item_label.item_id = item.id)
  and not exists (select 1 from item_mark mark
                   where mark.reader_id = item.reader_id and mark.item_id = item.id
                     and (mark.retained or mark.highlighted))`;

type PartOfList = (limit: number, after: number | null) => Statement;

/**
 * One user's items. Every change of a flag goes through here and stamps the items that changed, so
 * that no client misses a change; items that did not change are not stamped, so none is sent twice.
 */
@Injectable()
export class ItemsRepository {
  readonly #flagChanges: FlagChangesRepository;

  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIdsRepository,
  ) {
    this.#flagChanges = new FlagChangesRepository(database, ids);
  }

  /** Chunks of items by id, `asJson`. */
  async *list(
    reader: ReaderPosition,
    selection: ItemSelection,
    page: ItemPage,
  ): AsyncGenerator<readonly RowOfBytes[]> {
    const { id } = reader;
    const share = selection.of === 'folder' ? await this.#shareOfFolder(id, selection.folderId) : 1;
    const direction = page.oldestFirst ? 'asc' : 'desc';
    yield* this.#inChunks(reader, direction, page, {
      plan: 'kept',
      items: (limit, offset) => itemList(id, selection, { ...page, offset, limit }, share),
      ids: (limit, offset) => itemIds(id, selection, { ...page, offset, limit }, share),
    });
  }

  /** Chunks of items, `asJson`, stamped at or after `sinceMicros`, newest id first. */
  changedSince(
    reader: ReaderPosition,
    selection: ItemSelection,
    sinceMicros: number,
  ): AsyncIterable<readonly RowOfBytes[]> {
    const all = { offset: null, limit: null };
    return this.#inChunks(reader, 'desc', all, {
      // The index depends on the number of changed items.
      plan: 'by-index',
      items: (limit, belowId) => changedItems(reader.id, selection, sinceMicros, belowId, limit),
      ids: (limit, belowId) => changedIds(reader.id, selection, sinceMicros, belowId, limit),
    });
  }

  /** @returns the share of the reader's feeds in a folder, 0 to 1; null is the root */
  async #shareOfFolder(readerId: number, folderId: number | null): Promise<number> {
    const [row] = await this.database.query<{ share: number }>(
      `select (count(*) filter (where folder_id is not distinct from $2::bigint))::float8
              / greatest(count(*), 1) as share
         from subscription where reader_id = $1`,
      [readerId, folderId],
    );
    return row?.share ?? 1;
  }

  /** A page of usual size is one statement; items beyond a chunk are read by their ids. */
  async *#inChunks(
    reader: ReaderPosition,
    direction: 'asc' | 'desc',
    { offset, limit }: Pick<ItemPage, 'offset' | 'limit'>,
    list: Readonly<Record<'items' | 'ids', PartOfList>> & { readonly plan: PlanOfList },
  ): AsyncGenerator<readonly RowOfBytes[]> {
    const most = Math.min(limit ?? Infinity, CHUNK_ITEMS);
    const first = asJson(list.items(most, offset), direction, reader.lastModifiedMicros);
    let count = 0;
    let last: RowOfBytes | undefined;
    for await (const rows of this.database.readBytes(first, list.plan)) {
      yield rows;
      count += rows.length;
      last = rows.at(-1);
    }
    const end = last === undefined ? undefined : endOfChunk(last);
    if (end === undefined || (count < most && idOfCut(end) === null)) {
      return;
    }
    const rest = (limit ?? Infinity) - count;
    const fitting = itemsThatFit(count, end);
    for await (const ids of idsInSteps(this.database, rest, end.id, list.ids, list.plan)) {
      yield* itemChunks(this.database, reader, ids, direction, fitting);
    }
  }

  /** @returns null when the user has no such item */
  async one(readerId: number, itemId: number): Promise<OneItem | null> {
    const found = withContents(
      `select item.*, ${choiceOf('titles_to', 'item')} as titles_to,
              ${choiceOf('summarise', 'item')} as summarise
         from item where item.reader_id = $1 and item.id = $2 and ${NOT_MARKED_FOR_DELETION}`,
      'desc',
      `${LISTED}, item.article_id, item.titles_to, item.summarise`,
    );
    const [row] = await this.database.query<{
      item: Omit<OneItem, 'body' | 'labels' | 'duplicateOf'>;
      body: string | null;
      labels: string[] | null;
      duplicateOf: string | null;
      automatic: object;
    }>(
      `with listed as materialized (${found})
       select ${jsonColumns()}, ${AUTOMATIC} as automatic from listed`,
      [readerId, itemId],
    );
    if (row === undefined) {
      return null;
    }
    const { item, body, labels, duplicateOf, automatic } = row;
    const more = {
      ...(labels && { labels }),
      ...(duplicateOf && { duplicateOf: Number(duplicateOf) }),
    };
    return { ...item, ...more, ...automatic, body: body ?? '' };
  }

  /** @returns the highest item id of the reader; null without items */
  async newestId(readerId: number): Promise<number | null> {
    const [row] = await this.database.query<{ id: number | null }>(
      'select max(id) as id from item where reader_id = $1',
      [readerId],
    );
    return row?.id ?? null;
  }

  /** Changes flags in a transaction that other changes of the user may share. @see FlagChangesRepository */
  async changeFlags(reader: Reader, change: FlagChange): Promise<FlagsChanged> {
    return this.#flagChanges.make(reader, change);
  }

  /** @returns the ids of the user's items; skips pairs without an item */
  async idsByGuidHash(readerId: number, pairs: readonly GuidHashPair[]): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      `with origin as materialized (
         select s.id as feed_id, s.source_id from subscription s
          where s.reader_id = $1 and s.id = any($2::bigint[]) and s.deleted_at is null
          union all
         select s.id, former.source_id
           from subscription s
           join former_source former on former.reader_id = $1 and former.subscription_id = s.id
          where s.reader_id = $1 and s.id = any($2::bigint[]) and s.deleted_at is null
       ), wanted as materialized (
         select origin.feed_id, article.id as article_id
           from unnest($2::bigint[], $3::text[]) as pair (feed_id, guid_hash)
           join origin on origin.feed_id = pair.feed_id
           join article on article.source_id = origin.source_id
                       and article.guid_hash = decode(pair.guid_hash, 'hex')
       )
       select item.id
         from wanted join item on item.reader_id = $1 and item.subscription_id = wanted.feed_id
                              and item.article_id = wanted.article_id`,
      [readerId, pairs.map(({ feedId }) => feedId), pairs.map(({ guidHash }) => guidHash)],
    );
    return rows.map(({ id }) => id);
  }

  /** Reports all items of these feeds as changed, for clients that dropped them. */
  async stampFeeds(reader: LockedReader, feedIds: readonly number[], tx: SqlRunner): Promise<void> {
    await carryEffects(reader, 'item.subscription_id = any($3::bigint[])', [feedIds], tx);
    await tx.query(
      `with changed as (
         update item set last_modified_micros = $2
          where reader_id = $1 and subscription_id = any($3::bigint[]) returning 1)
       update reader set ${moveStamp('$2')} where id = $1 and exists (select 1 from changed)`,
      [reader.id, reader.stampMicros, feedIds],
    );
  }

  /**
   * Removes read, unstarred items of one reader beyond the newest `keepReadItems` of each feed, or
   * beyond the publisher's longest document if that is longer. They cannot come back: the
   * subscription's watermark stays above them.
   *
   * @param beforeMicros spares items that changed at this time or later, so that other clients learn
   *   that they were read before they vanish; unix microseconds
   * @returns how many were removed; at most `limit`
   */
  async removeOldRead(
    reader: LockedReader,
    keepReadItems: number,
    beforeMicros: number,
    limit: number,
    tx: SqlRunner,
  ): Promise<number> {
    const rows = await tx.query(
      `with feed as materialized (
         select s.id, greatest($2, source.largest_document) as keep
           from subscription s join source on source.id = s.source_id where s.reader_id = $1
       )
       delete from item using (
         select id from (
           select item.id, item.last_modified_micros,
                  row_number() over (partition by item.subscription_id order by item.id desc) as place,
                  feed.keep
             from item join feed on feed.id = item.subscription_id
            where item.reader_id = $1 and not item.unread and not item.starred and ${IS_NOT_KEPT}
         ) ranked
          where place > keep and last_modified_micros < $4::bigint
          order by id limit $3
       ) old
       where item.reader_id = $1 and item.id = old.id
       returning item.id`,
      [reader.id, keepReadItems, limit, beforeMicros],
    );
    return rows.length;
  }

  /**
   * Readers who have more read, unstarred items of some feed than `removeOldRead` keeps. Scans all read
   * items.
   */
  async readersWithOldRead(keepReadItems: number): Promise<Reader[]> {
    return this.database.query<Reader>(
      `select user_id as "userId", reader_id as id from reader_user
        where reader_id in (select s.reader_id
                              from (select reader_id, subscription_id, count(*) from item
                                     where not unread and not starred and ${IS_NOT_KEPT}
                                     group by reader_id, subscription_id having count(*) > $1) read
                              join follower s on s.subscription_id = read.subscription_id
                              join source on source.id = s.source_id
                             where read.count > source.largest_document)
        order by reader_id`,
      [keepReadItems],
    );
  }
}
