import { describe, expect, it } from '@jest/globals';
import { until } from '../../../../test/support/until.js';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import type { EndedFetch } from './fetch-record.sql.js';
import { FetchSets } from './fetch-sets.js';

const fetched = (sourceId: number): EndedFetch => ({
  lease: { sourceId, token: `token ${sourceId}`, hostKey: '', spaced: false, waitMs: 0 },
  record: {
    result: { outcome: 'unchanged', validators: null },
    dueInSeconds: 60,
    address: { is: 'none' },
    notes: { status: 304, durationMs: 1, bytes: 0, decision: '' },
  },
  ingested: { newItems: 0, changedItems: 0, postponedItems: 0, storedMs: 0, awaitedRev: null },
});

/** A database whose statements end when told. */
function aDatabase(alone = async (_id: number): Promise<boolean> => true) {
  const sets: number[][] = [];
  const singles: number[] = [];
  const running: PromiseWithResolvers<ReadonlySet<string>>[] = [];
  const writer = new FetchSets(
    (fetches) => {
      sets.push(fetches.map(({ lease }) => lease.sourceId));
      const statement = Promise.withResolvers<ReadonlySet<string>>();
      running.push(statement);
      return statement.promise;
    },
    (fetch) => {
      singles.push(fetch.lease.sourceId);
      return alone(fetch.lease.sourceId);
    },
  );
  const end = (set: number, except: readonly number[] = []) =>
    running[set]?.resolve(
      new Set(sets[set]?.filter((id) => !except.includes(id)).map((id) => `token ${id}`)),
    );
  return { writer, sets, singles, running, end };
}

const settled = () => new Promise(setImmediate);

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

describe('FetchSets', () => {
  it('writes what ends while two statements are running in sets of at most a hundred', async () => {
    const { writer, sets, end } = aDatabase();
    const written = numbers(0, 252).map((id) => writer.write(fetched(id), 'now'));

    expect(sets).toEqual([[0], [1]]);
    end(0);
    await settled();
    expect(sets).toEqual([[0], [1], numbers(2, 100)]);
    for (const set of [1, 2, 3, 4]) {
      end(set);
      await settled();
    }

    expect(sets.slice(2)).toEqual([numbers(2, 100), numbers(102, 100), numbers(202, 50)]);
    expect(await Promise.all(written)).toEqual(written.map(() => true));
  });

  it('lets results that can wait gather, and writes them with the next that cannot', async () => {
    const { writer, sets, end } = aDatabase();
    const written = [1, 2].map((id) => writer.write(fetched(id), 'gathered'));
    expect(sets).toEqual([]);

    written.push(writer.write(fetched(3), 'now'));
    expect(sets).toEqual([[1, 2, 3]]);
    end(0);

    expect(await Promise.all(written)).toEqual([true, true, true]);
  });

  it('writes results that can wait without any that cannot', async () => {
    const { writer, sets, end, running } = aDatabase();
    const written = writer.write(fetched(1), 'gathered');
    await until('a statement', () => running.length > 0);
    end(0);

    expect(await written).toBe(true);
    expect(sets).toEqual([[1]]);
  });

  it('writes by itself what a set left out, which waits for its lock', async () => {
    const { writer, singles, end } = aDatabase(async (id) => id !== 3);
    const written = numbers(0, 5).map((id) => writer.write(fetched(id), 'gathered'));
    written.push(writer.write(fetched(5), 'now'));
    end(0, [2, 3]);

    expect(await Promise.all(written)).toEqual([true, true, true, false, true, true]);
    expect(singles).toEqual([2, 3]);
  });

  it('fails only the result that the database refuses', async () => {
    const { writer, running } = aDatabase(async (id) => {
      if (id === 1) {
        throw new Error('invalid text');
      }
      return true;
    });
    const written = [0, 1].map((id) => writer.write(fetched(id), 'gathered'));
    written.push(writer.write(fetched(2), 'now'));
    running[0]?.reject(new Error('invalid text'));

    expect(await Promise.allSettled(written)).toEqual([
      { status: 'fulfilled', value: true },
      { status: 'rejected', reason: new Error('invalid text') },
      { status: 'fulfilled', value: true },
    ]);
  });

  it('fails the whole set, without trying each result, when the database is away', async () => {
    const { writer, singles, running } = aDatabase();
    const written = [0, 1].map((id) => writer.write(fetched(id), 'gathered'));
    written.push(writer.write(fetched(2), 'now'));
    const away = new DatabaseUnavailable('away');
    running[0]?.reject(away);

    const failed = { status: 'rejected', reason: away };
    expect(await Promise.allSettled(written)).toEqual([failed, failed, failed]);
    expect(singles).toEqual([]);
  });
});
