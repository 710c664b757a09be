import { describe, expect, it } from 'vitest';
import { KnownPositions } from './known-positions.js';

describe('Positions', () => {
  it('of this browser are later than those of the service until they are saved.', async () => {
    const positions = new KnownPositions(null);
    positions.keep({ itemId: 1, position: 61, duration: null }, 5);
    positions.take([
      { itemId: 1, position: 30, duration: 100 },
      { itemId: 2, position: 7, duration: null },
    ]);

    expect([1, 2, 3].map((id) => positions.positionOf(id))).toEqual([61, 7, 0]);
    expect([1, 2].map((id) => positions.durationOf(id))).toEqual([100, 0]);
    await positions.save(() => Promise.resolve());
    expect(positions.unsaved).toEqual([]);
    positions.keep({ itemId: 1, position: 70, duration: null }, 6);
    expect([positions.positionOf(1), positions.durationOf(1)]).toEqual([70, 100]);
  });

  it('of an earlier page are known, also those of the first versions.', () => {
    const entry = { position: 61, duration: 100, at: 5 };
    const positions = new KnownPositions([
      [1, entry],
      [2, 30],
    ]);

    expect(positions.unsaved).toEqual([
      [1, entry],
      [2, { position: 30, duration: null, at: 0 }],
    ]);
    expect(positions.positionOf(2)).toBe(30);
  });

  it('that cannot be saved wait with those after them, unless the item does not exist.', async () => {
    const positions = new KnownPositions(null);
    for (const itemId of [1, 2, 3, 4]) {
      positions.keep({ itemId, position: itemId, duration: null }, itemId);
    }
    const asked: number[] = [];
    await positions.save((itemId) => {
      asked.push(itemId);
      const status = itemId === 2 ? 404 : 503;
      return itemId === 1 ? Promise.resolve() : Promise.reject({ status });
    });

    expect(asked).toEqual([1, 2, 3]);
    expect(positions.unsaved.map(([itemId]) => itemId)).toEqual([3, 4]);
  });

  it('that changed while they were sent wait for the next time.', async () => {
    const positions = new KnownPositions(null);
    positions.keep({ itemId: 1, position: 61, duration: null }, 5);
    let asked = 0;
    await positions.save((itemId) => {
      asked += 1;
      positions.keep({ itemId, position: 70, duration: null }, 6);
      return asked === 1 ? Promise.resolve() : Promise.reject({ status: 503 });
    });

    expect(positions.unsaved).toEqual([[1, { position: 70, duration: null, at: 6 }]]);
  });

  it('are kept of the last fifty recordings.', () => {
    const positions = new KnownPositions(null);
    for (let itemId = 1; itemId <= 51; itemId += 1) {
      positions.keep({ itemId, position: 1, duration: null }, itemId);
    }
    positions.keep({ itemId: 2, position: 2, duration: null }, 60);

    expect(positions.unsaved.map(([itemId]) => itemId)).toHaveLength(50);
    expect(positions.unsaved[0]?.[0]).toBe(3);
    expect(positions.unsaved.at(-1)?.[0]).toBe(2);
  });
});
