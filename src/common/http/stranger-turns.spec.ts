import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { StrangerTurns } from './stranger-turns.js';

afterEach(() => void jest.restoreAllMocks());

describe('requests of strangers', () => {
  it('begin one at a time, in the order in which they arrived', async () => {
    const turns = new StrangerTurns();
    const begun: string[] = [];

    ['a', 'b', 'c'].forEach((name) => turns.begin(() => begun.push(name)));

    expect(begun).toEqual([]);
    await setImmediate();
    expect(begun).toEqual(['a']);
    await setImmediate();
    await setImmediate();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('leave the line with their clients', async () => {
    const turns = new StrangerTurns();
    const begun: string[] = [];
    const leave = turns.begin(() => begun.push('a'));
    turns.begin(() => begun.push('b'));

    leave();
    await setImmediate();

    expect(begun).toEqual(['b']);
  });

  it('wait while connections arrive, at most ten milliseconds', async () => {
    let nowMs = 1000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const turns = new StrangerTurns();
    const begun: string[] = [];
    turns.begin(() => begun.push('a'));
    await setImmediate();

    turns.begin(() => begun.push('b'));
    for (let n = 0; n < 5; n += 1) {
      turns.connectionArrived();
      await setImmediate();
    }

    expect(begun).toEqual(['a']);
    nowMs += 10;
    turns.connectionArrived();
    await setImmediate();
    expect(begun).toEqual(['a', 'b']);
  });
});
