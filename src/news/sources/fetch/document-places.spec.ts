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
