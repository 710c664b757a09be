import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { found, once, until, within } from './until.js';

afterEach(() => void jest.useRealTimers());

const never = new Promise<never>(() => {});

/** Nothing else runs in this process meanwhile. */
const keepBusy = (milliseconds: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

describe('a wait', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['for an answer', () => until('the second mail', () => false, 0.1)],
    ['for an answer that does not come', () => until('the second mail', () => never, 0.1)],
    ['for something', () => found('the second mail', async () => null, 0.1)],
    ['for an event', () => within('the second mail', never, 0.1)],
  ])('%s says what it waited for when it gives up', async (_what, wait) => {
    await expect(wait()).rejects.toThrow('Waited in vain for the second mail.');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['until', () => until('nothing', () => false, 0.1)],
    ['found', () => found('nothing', () => null, 0.1)],
    ['within', () => within('nothing', never, 0.1)],
  ])('names the line of the spec: %s', async (_which, wait) => {
    const error = await wait().catch((caught: Error) => caught);

    expect((error as Error).stack?.split('\n')[1]).toContain('until.spec.ts');
  });

  it('gives up no earlier because the process was busy', async () => {
    const coming = Promise.withResolvers<string>();
    let later: string | undefined;
    const both = [within('an event', coming.promise, 0.5), found('it', () => later, 0.5)];

    keepBusy(700);
    setTimeout(() => {
      coming.resolve('come');
      later = 'come';
    }, 100);

    expect(await Promise.all(both)).toEqual(['come', 'come']);
  });

  it('is not concerned by timers that a spec replaces', async () => {
    jest.useFakeTimers();
    let asked = 0;

    await until('twenty questions', () => (asked += 1) > 20);

    await expect(within('nothing', never, 0.1)).rejects.toThrow('Waited in vain for nothing.');
  });

  it('asks no more when it is over', async () => {
    let asked = 0;
    await until('nothing', () => (asked += 1) < 0, 0.1).catch(() => {});
    const before = asked;

    await within('nothing', never, 0.1).catch(() => {});

    expect(asked).toBe(before);
  });

  it('fails with the error of a question', async () => {
    const ask = () => Promise.reject(new Error('no such table'));

    await expect(until('an answer', ask)).rejects.toThrow('no such table');
  });

  it('for an event resolves with what it says', async () => {
    const emitter = new EventEmitter();
    const coming = once(emitter, 'line');
    emitter.emit('line', 'hello');

    expect(await coming).toEqual(['hello']);
  });
});

describe('found', () => {
  it('resolves with what is found first, also if it is empty', async () => {
    const answers = [null, undefined, ''];

    expect(await found('a text', () => answers.shift())).toBe('');
  });
});
