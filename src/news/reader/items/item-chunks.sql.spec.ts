import { expect, it } from '@jest/globals';
import { CHUNK_ITEMS, inChunks, type ChunkEnd } from './item-chunks.sql.js';
import { CHUNK_BYTES } from './item-list.sql.js';

const IDS = Array.from({ length: 1000 }, (_, n) => n + 1);

/** Reads all of `IDS`, whose bodies have so many bytes, and counts those that were looked at. */
async function readAll(bytesOf: (id: number) => number) {
  const sent: number[] = [];
  const looks: number[] = [];
  async function* read(some: readonly number[]): AsyncGenerator<ChunkEnd[]> {
    looks.push(some.length);
    const rows: ChunkEnd[] = [];
    for (const id of some) {
      const before = rows.at(-1)?.bytesSoFar ?? 0;
      if (before < CHUNK_BYTES) {
        rows.push({ id, bytesSoFar: before + bytesOf(id) });
      }
    }
    yield rows;
  }
  for await (const rows of inChunks(IDS, read, (row) => row)) {
    sent.push(...rows.map(({ id }) => id));
  }
  return { sent, looks };
}

it.each([
  ['none at all', () => 0, 0],
  ['1 kB', () => 1000, 0],
  // Only the first chunk can guess wrong.
  ['20 kB', () => 20_000, CHUNK_ITEMS],
  ['2 MB', () => 2_000_000, CHUNK_ITEMS],
  ['10 kB more or less', (id: number) => 5000 + ((id * 7919) % 101) * 100, CHUNK_ITEMS + 50],
])('items with bodies of %s are read once, few in vain', async (_size, bytesOf, most) => {
  const { sent, looks } = await readAll(bytesOf);

  expect(sent).toEqual(IDS);
  expect(looks.reduce((sum, count) => sum + count) - IDS.length).toBeLessThanOrEqual(most);
});
