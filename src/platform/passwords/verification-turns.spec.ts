import { describe, expect, it } from '@jest/globals';
import { setImmediate as everythingElse } from 'node:timers/promises';
import { VerificationTurns } from './verification-turns.js';

/** Work that ends when told to. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, finish: resolve };
}

let addresses = 0;
const nextAddress = () => `192.0.2.${(addresses += 1) % 256}`;

describe('VerificationTurns', () => {
  it('lets two run at a time and the others wait, first come, first served', async () => {
    const turns = new VerificationTurns(2);
    const started: number[] = [];
    const held = Array.from({ length: 4 }, () => heldWork());
    const all = held.map(({ work }, index) =>
      turns.inTurn(nextAddress(), async () => {
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
    const turns = new VerificationTurns(2);
    const failures = Array.from({ length: 5 }, () =>
      turns.inTurn(nextAddress(), async () => {
        throw new Error('no');
      }),
    );
    await Promise.allSettled(failures);

    await expect(turns.inTurn(nextAddress(), async () => 'done')).resolves.toBe('done');
  });

  it('refuses an address of which 50 wait already, and no other', async () => {
    const turns = new VerificationTurns(2);
    const held = heldWork();
    const taken = Array.from({ length: 52 }, () => turns.inTurn('192.0.2.1', held.work));

    await expect(turns.inTurn('192.0.2.1', held.work)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    taken.push(turns.inTurn('192.0.2.2', held.work));

    held.finish();
    await Promise.all(taken);
  });

  it('refuses when 200 wait already, with a time to try again', async () => {
    const turns = new VerificationTurns(2);
    const held = heldWork();
    const taken = Array.from({ length: 202 }, () => turns.inTurn(nextAddress(), held.work));

    await expect(turns.inTurn(nextAddress(), held.work)).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterSeconds: 2,
    });

    held.finish();
    await Promise.all(taken);
  });
});
