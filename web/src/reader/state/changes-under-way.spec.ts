import { describe, expect, it } from 'vitest';
import { ChangesUnderWay } from './changes-under-way.js';

describe('Counts', () => {
  it('are asked for again when something changed meanwhile, at most four times.', async () => {
    const changes = new ChangesUnderWay();
    let asked = 0;
    const ask = (changing: number) => () => {
      asked += 1;
      return asked <= changing
        ? changes.whileChanging(Promise.resolve(asked))
        : Promise.resolve(asked);
    };

    expect(await changes.latest(ask(0))).toBe(1);
    expect(await changes.latest(ask(3))).toBe(4);
    expect(await changes.latest(ask(99))).toBe(8);
  });

  it('are asked for again when a change that began before has ended.', async () => {
    const changes = new ChangesUnderWay();
    const sent = Promise.withResolvers<void>();
    const changing = changes.whileChanging(sent.promise);
    let asked = 0;
    const loaded = changes.latest(() => Promise.resolve((asked += 1)));
    await Promise.resolve();
    sent.resolve();

    expect(await loaded).toBe(2);
    await changing;
  });

  it('are asked for after changes that fail as well.', async () => {
    const changes = new ChangesUnderWay();
    const failing = changes.whileChanging(Promise.reject(new Error('refused')));
    let asked = 0;
    const loaded = changes.latest(() => Promise.resolve((asked += 1)));

    await expect(failing).rejects.toThrow('refused');
    expect(await loaded).toBe(2);
    await changes.changesSent();
  });
});
