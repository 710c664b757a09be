import { describe, expect, it } from '@jest/globals';
import { ReadingUnavailable } from '../../feed-parser/pool/reading-pool.js';
import { DocumentPlaces } from './document-places.js';

describe('DocumentPlaces', () => {
  it('admits as many as there are places, and the others in their order', async () => {
    const places = new DocumentPlaces(2);
    const entered: number[] = [];
    const all = [0, 1, 2, 3].map(async (n) => {
      await places.take();
      entered.push(n);
    });
    await Promise.all(all.slice(0, 2));
    expect([entered, places.waiting]).toEqual([[0, 1], 2]);

    places.leave();
    await all[2];
    expect([entered, places.waiting]).toEqual([[0, 1, 2], 1]);
    places.leave();
    await all[3];
    places.leave();
    places.leave();

    await places.take();
    await places.take();
    expect([entered, places.waiting]).toEqual([[0, 1, 2, 3], 0]);
  });

  it('keeps half of the places from slow publishers, and lets quick ones enter first', async () => {
    const places = new DocumentPlaces(4);
    const entered: string[] = [];
    const all = ['slow', 'slow', 'slow', 'quick', 'quick', 'quick'] as const;
    const arrived = all.map((pace) => places.take(undefined, pace).then(() => entered.push(pace)));
    await Promise.all([arrived[0], arrived[1], arrived[3], arrived[4]]);
    expect([entered, places.waiting]).toEqual([['slow', 'slow', 'quick', 'quick'], 1]);

    places.leave('slow');
    await arrived[5];
    expect([entered.at(-1), places.waiting]).toEqual(['quick', 0]);
    places.leave('quick');
    await arrived[2];
    expect(entered.at(-1)).toBe('slow');
  });

  it('lets a fetch go that is aborted while it waits', async () => {
    const places = new DocumentPlaces(1);
    await places.take();
    const abort = new AbortController();
    const waiting = places.take(abort.signal);
    abort.abort();

    await expect(waiting).rejects.toThrow(ReadingUnavailable);
    expect(places.waiting).toBe(0);
  });

  it('sends away whoever waits too long, and keeps no place for it', async () => {
    const places = new DocumentPlaces(1, 0);
    await places.take();

    await expect(places.take()).rejects.toThrow(ReadingUnavailable);

    expect(places.waiting).toBe(0);
    places.leave();
    await expect(places.take()).resolves.toBeUndefined();
  });
});
