import type { RowOfBytes } from '../../../database/byte-rows.js';
import type { Database } from '../../../database/database.js';
import type { Statement } from '../../../database/statement.js';
import { asJson, CHUNK_BYTES, itemsByIds } from './item-list.sql.js';

/** Most items of a chunk. */
export const CHUNK_ITEMS = 250;

/** Ids of a long list that are read together. */
const IDS_AT_A_TIME = 10_000;

/** Position of a list after a chunk. */
export interface ChunkEnd {
  readonly id: number;
  /** Bytes of the bodies in the chunk so far. */
  readonly bytesSoFar: number;
}

/** Whether each connection keeps a plan of a statement, or it is planned for its values. */
export type PlanOfList = 'kept' | 'by-index';

/**
 * Reads the ids of a list, which may be all items of a reader, in batches.
 *
 * @param limit of the whole list; may be infinite
 * @param after the id before the first one; null begins at the beginning
 * @param idsOf a statement for the ids of a part of the list, as text
 */
export async function* idsInSteps(
  database: Database,
  limit: number,
  after: number | null,
  idsOf: (limit: number, after: number | null) => Statement,
  plan: PlanOfList = 'by-index',
): AsyncGenerator<readonly number[], void, undefined> {
  for (let rest = limit, last = after; rest > 0;) {
    const most = Math.min(rest, IDS_AT_A_TIME);
    const ids: number[] = [];
    for await (const rows of database.readBytes(idsOf(most, last), plan)) {
      ids.push(...rows.map(([id]) => Number(id)));
    }
    yield ids;
    rest = ids.length < most ? 0 : rest - most;
    last = ids.at(-1) ?? null;
  }
}

/**
 * Reads items by id in chunks, so that a list needs little memory, and no connection while its client
 * reads.
 *
 * @param read the items of some ids in their order, in batches; may leave some out, and be cut
 * @param first most items of the first chunk
 */
export async function* inChunks<Row>(
  ids: readonly number[],
  read: (some: readonly number[]) => AsyncIterable<readonly Row[]>,
  endOf: (row: Row) => ChunkEnd,
  first = CHUNK_ITEMS,
): AsyncGenerator<readonly Row[], void, undefined> {
  for (let at = 0, most = first; at < ids.length;) {
    const some = ids.slice(at, at + most);
    let count = 0;
    let last: Row | undefined;
    for await (const rows of read(some)) {
      yield rows;
      count += rows.length;
      last = rows.at(-1);
    }
    const end = last && endOf(last);
    const cutAfter = end === undefined ? null : idOfCut(end);
    at += cutAfter === null ? some.length : some.indexOf(cutAfter) + 1;
    most = end === undefined ? CHUNK_ITEMS : itemsThatFit(count, end);
  }
}

/** Items of the next chunk, so that few are read in vain: as many as have its bytes if they are like those before. */
export function itemsThatFit(count: number, { bytesSoFar }: ChunkEnd): number {
  return Math.min(CHUNK_ITEMS, Math.ceil((count * CHUNK_BYTES) / bytesSoFar));
}

/** Chunks of these items, `asJson`. @param first most items of the first one */
export function itemChunks(
  database: Database,
  { id, lastModifiedMicros }: { readonly id: number; readonly lastModifiedMicros: number },
  itemIds: readonly number[],
  direction: 'asc' | 'desc',
  first?: number,
): AsyncGenerator<readonly RowOfBytes[], void, undefined> {
  const read = (some: readonly number[]) =>
    database.readBytes(
      asJson(itemsByIds(id, some, direction), direction, lastModifiedMicros),
      'kept',
    );
  return inChunks(itemIds, read, endOfChunk, first);
}

/** @param row of a list `asJson` */
export function endOfChunk([, , , , id, bytes]: RowOfBytes): ChunkEnd {
  return { id: Number(id), bytesSoFar: Number(bytes) };
}

/** @returns null for a chunk that was not cut, the last one */
export function idOfCut({ id, bytesSoFar }: ChunkEnd): number | null {
  return bytesSoFar < CHUNK_BYTES ? null : id;
}
