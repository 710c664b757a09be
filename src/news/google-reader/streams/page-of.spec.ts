import { describe, expect, it } from '@jest/globals';
import { pageOf } from './stream-request.input.js';

describe('a page that was read with one row more', () => {
  const read = async (batches: readonly (readonly number[])[], length: number) => {
    let isReadToTheEnd = false;
    async function* all() {
      yield* batches;
      isReadToTheEnd = true;
    }
    const page = pageOf(all(), length);
    const rows: number[] = [];
    for await (const batch of page.batches) {
      rows.push(...batch);
    }
    return { rows, after: page.continuesAfter(), isReadToTheEnd };
  };

  it('leaves out the last row, and goes on after the one before it', async () => {
    expect(await read([[5, 4], [3, 2], [1]], 4)).toMatchObject({ rows: [5, 4, 3, 2], after: 2 });
    expect(await read([[5, 4, 3]], 2)).toMatchObject({ rows: [5, 4], after: 4 });
  });

  it('does not go on when no row was left out', async () => {
    expect(await read([[5, 4], [3]], 3)).toMatchObject({ rows: [5, 4, 3], after: null });
    expect(await read([], 3)).toMatchObject({ rows: [], after: null });
  });

  it('is read to the end, since a list that is abandoned costs its connection', async () => {
    expect(await read([[5, 4], [3]], 2)).toMatchObject({ isReadToTheEnd: true });
  });
});
