import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Metrics } from '../common/metrics/metrics.js';
import { collectWhenQuiet } from './collect-when-quiet.js';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['performance'] }));
afterEach(() => void jest.useRealTimers());

const pauseSeconds = async (metrics: Metrics) =>
  (await metrics.registry.getSingleMetric('gatefold_quiet_collection_seconds')?.get())?.values[0]
    ?.value;

/** The pauses after so many looks. */
async function looks(metrics: Metrics, count: number) {
  const pauses = [await pauseSeconds(metrics)];
  for (let n = 0; n < count; n += 1) {
    await jest.advanceTimersByTimeAsync(10_000);
    pauses.push(await pauseSeconds(metrics));
  }
  return pauses;
}

it('collects what the start left once no request is open, and tells how long it took', async () => {
  const metrics = new Metrics();
  const open = [2, 1, 0];

  collectWhenQuiet(metrics, () => open.shift() ?? 0);

  expect(await looks(metrics, 3)).toEqual([0, 0, 0, expect.any(Number)]);
  expect(await pauseSeconds(metrics)).toBeGreaterThan(0);
});

it('collects again only after work that has left much', async () => {
  const [little, much] = [new Metrics(), new Metrics()];

  collectWhenQuiet(little, () => 0, { worthBytes: 2 ** 50 });
  expect(new Set(await looks(little, 3))).toEqual(new Set([0]));

  collectWhenQuiet(much, () => 0, { worthBytes: 0 });
  expect(new Set(await looks(much, 3)).size).toBeGreaterThan(2);
});

it('does not collect while the process is at work', async () => {
  const metrics = new Metrics();

  collectWhenQuiet(metrics, () => 0, { quietShare: 0 });

  expect(new Set(await looks(metrics, 3))).toEqual(new Set([0]));
});
