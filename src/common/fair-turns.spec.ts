import { describe, expect, it } from '@jest/globals';
import { setImmediate as everythingElse } from 'node:timers/promises';
import { FairTurns } from './fair-turns.js';

/** Work that ends when told to. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, finish: resolve };
}

const LIMITS = { atOnce: 2, atOnceOfOwner: 2, waiting: 200, waitingOfOwner: 50 };

let owners = 0;
const nextOwner = () => `owner ${(owners += 1)}`;

describe('FairTurns', () => {
  it('lets two run at a time and the others wait, first come, first served', async () => {
    const turns = new FairTurns(LIMITS, () => new Error('full'));
    const started: number[] = [];
    const held = Array.from({ length: 4 }, () => heldWork());
    const all = held.map(({ work }, index) =>
      turns.run(nextOwner(), async () => {
        started.push(index);
        await work();
      }),
    );

    await everythingElse();
    const atFirst = [...started];
    held[1]?.finish();
    await everythingElse();
    const afterOne = [...started];
    held.forEach(({ finish }) => finish());
    await Promise.all(all);

    expect(atFirst).toEqual([0, 1]);
    expect(afterOne).toEqual([0, 1, 2]);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('passes the turn on when work fails', async () => {
    const turns = new FairTurns(LIMITS, () => new Error('full'));
    const failures = Array.from({ length: 5 }, () =>
      turns.run(nextOwner(), async () => {
        throw new Error('no');
      }),
    );
    await Promise.allSettled(failures);

    await expect(turns.run(nextOwner(), async () => 'done')).resolves.toBe('done');
  });

  it('refuses an owner of whom 50 wait already, and no other', async () => {
    const turns = new FairTurns(LIMITS, () => new Error('full'));
    const held = heldWork();
    const taken = Array.from({ length: 52 }, () => turns.run('one', held.work));

    await expect(turns.run('one', held.work)).rejects.toThrow('full');
    taken.push(turns.run('another', held.work));

    held.finish();
    await Promise.all(taken);
  });

  it('refuses when 200 wait already, but not what waits in the lane of known senders', async () => {
    const turns = new FairTurns(LIMITS, () => new Error('full'));
    const held = heldWork();
    const order: string[] = [];
    const taken = Array.from({ length: 202 }, () => turns.run(nextOwner(), held.work));
    taken[2] = taken[2]?.then(() => void order.push('other')) ?? Promise.resolve();

    await expect(turns.run(nextOwner(), held.work)).rejects.toThrow('full');
    taken.push(turns.run('known', held.work, true).then(() => void order.push('known')));

    held.finish();
    await Promise.all(taken);
    expect(order).toEqual(['known', 'other']);
  });

  it('lets owners take turns, and leaves an owner what others do not use', async () => {
    const turns = new FairTurns({ ...LIMITS, atOnce: 1 }, () => new Error('full'));
    const order: string[] = [];
    const work = (name: string) => async () => void order.push(name);
    const first = turns.run('one', work('one'));
    const others = ['one', 'one', 'one', 'two', 'two', 'three'].map((owner) =>
      turns.run(owner, work(owner)),
    );
    await Promise.all([first, ...others]);

    expect(order).toEqual(['one', 'one', 'two', 'three', 'one', 'two', 'one']);
  });

  it('runs no more of one owner than its share while there is room', async () => {
    const turns = new FairTurns({ ...LIMITS, atOnceOfOwner: 1 }, () => new Error('full'));
    const held = heldWork();
    const running: string[] = [];
    const taken = ['one', 'one', 'two'].map((owner) =>
      turns.run(owner, async () => {
        running.push(owner);
        await held.work();
      }),
    );
    await everythingElse();
    expect(running).toEqual(['one', 'two']);
    held.finish();
    await Promise.all(taken);
  });
});
