import { describe, expect, it } from '@jest/globals';
import { LatestTimes } from './latest-times.js';

describe('Times of the latest use', () => {
  it('are written together, the latest of each row', async () => {
    const written: unknown[] = [];
    const times = new LatestTimes<string>(async (keys, at) => void written.push([keys, at]));
    times.note('ada', new Date(1));
    times.note('ben', new Date(2));
    times.note('ada', new Date(3));

    await times.write();
    await times.write();

    expect(written).toEqual([
      [
        ['ada', 'ben'],
        [new Date(3), new Date(2)],
      ],
    ]);
  });

  it('remain when they could not be written, unless there is a later one', async () => {
    const written: unknown[] = [];
    let isAway = true;
    const times = new LatestTimes<number>(async (keys, at) => {
      if (isAway) {
        times.note(1, new Date(9));
        throw new Error('The database is away.');
      }
      written.push([keys, at]);
    });
    times.note(1, new Date(1));
    times.note(2, new Date(2));

    await expect(times.write()).rejects.toThrow('away');
    isAway = false;
    await times.write();

    expect(written).toEqual([
      [
        [1, 2],
        [new Date(9), new Date(2)],
      ],
    ]);
  });
});
