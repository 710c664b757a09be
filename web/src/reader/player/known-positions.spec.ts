import { describe, expect, it } from 'vitest';
import { KnownPositions, type Position, type SavedPosition } from './known-positions.js';

/** The service saves whatever it is sent. */
const saving =
  (listenedAt: number) =>
  (itemId: number, { position, duration }: Omit<Position, 'itemId'>): Promise<SavedPosition> =>
    Promise.resolve({ itemId, position, duration, listenedAt });

describe('Positions', () => {
  it('of this browser are later than those of the service until they are saved.', async () => {
    const positions = new KnownPositions(null);
    positions.keep({ itemId: 1, position: 61, duration: null }, 5);
    positions.take([
      { itemId: 1, position: 30, duration: 100, listenedAt: 3 },
      { itemId: 2, position: 7, duration: null, listenedAt: 3 },
    ]);

    expect([1, 2, 3].map((id) => positions.positionOf(id))).toEqual([61, 7, 0]);
    expect([1, 2].map((id) => positions.durationOf(id))).toEqual([100, 0]);
    await positions.save(saving(5));
    expect(positions.unsaved).toEqual([]);
    positions.keep({ itemId: 1, position: 70, duration: null }, 6);
    expect([positions.positionOf(1), positions.durationOf(1)]).toEqual([70, 100]);
  });

  it('that the service listed before it saved a later one are not shown after it.', async () => {
    const positions = new KnownPositions(null);
    const list = [{ itemId: 1, position: 30, duration: 100, listenedAt: 3 }];
    positions.keep({ itemId: 1, position: 61, duration: null }, 5);
    positions.take(list);
    await positions.save(saving(5));

    expect([positions.positionOf(1), positions.durationOf(1)]).toEqual([61, 100]);
    positions.take(list);
    expect(positions.positionOf(1)).toBe(61);
  });

  it('of another device that were reached later are shown once the service has compared.', async () => {
    const positions = new KnownPositions([[1, { position: 61, duration: 100, at: 5 }]]);
    const later = { itemId: 1, position: 90, duration: 100, listenedAt: 8 };
    await positions.save(() => Promise.resolve(later));

    expect([positions.positionOf(1), positions.unsaved]).toEqual([90, []]);
    positions.take([{ ...later, position: 95, listenedAt: 9 }]);
    expect(positions.positionOf(1)).toBe(95);
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
    expect([positions.positionOf(2), positions.durationOf(1)]).toEqual([30, 100]);
  });

  it('that cannot be saved wait with those after them, unless the item does not exist.', async () => {
    const positions = new KnownPositions(null);
    for (const itemId of [1, 2, 3, 4]) {
      positions.keep({ itemId, position: itemId, duration: null }, itemId);
    }
    const asked: number[] = [];
    await positions.save((itemId, unsaved) => {
      asked.push(itemId);
      const status = itemId === 2 ? 404 : 503;
      return itemId === 1 ? saving(1)(itemId, unsaved) : Promise.reject({ status });
    });

    expect(asked).toEqual([1, 2, 3]);
    expect(positions.positionOf(2)).toBe(2);
    expect(positions.unsaved.map(([itemId]) => itemId)).toEqual([3, 4]);
  });

  it('that changed while they were sent wait for the next time.', async () => {
    const positions = new KnownPositions(null);
    positions.keep({ itemId: 1, position: 61, duration: null }, 5);
    let asked = 0;
    await positions.save((itemId, unsaved) => {
      asked += 1;
      positions.keep({ itemId, position: 70, duration: null }, 6);
      return asked === 1 ? saving(5)(itemId, unsaved) : Promise.reject({ status: 503 });
    });

    expect(positions.positionOf(1)).toBe(70);
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
