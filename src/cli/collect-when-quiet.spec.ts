import { expect, it } from '@jest/globals';
import { until } from '../../test/support/until.js';
import type { ShareKind } from '../common/http/shares.js';
import { Metrics } from '../common/metrics/metrics.js';
import { busyAnswers, collectWhenQuiet } from './collect-when-quiet.js';

const LOOKS = { everyMs: 50, inRow: 1, shareOfWork: Infinity };

function pauseIn(metrics: Metrics) {
  return async () => {
    const gauge = metrics.registry.getSingleMetric('gatefold_start_collection_seconds');
    return (await gauge?.get())?.values[0]?.value ?? 0;
  };
}

it('collects once no request is open, and tells how long it took', async () => {
  const metrics = new Metrics();
  const pauseSeconds = pauseIn(metrics);
  const open = [2, 1, 0];
  const pauses: number[] = [];

  collectWhenQuiet(metrics, () => open.shift() ?? 0, LOOKS);
  await until('a collection', async () => {
    pauses.push(await pauseSeconds());
    return open.length === 0 && pauses.at(-1) !== 0;
  });

  expect(pauses[0]).toBe(0);
});

it('collects while answers are open that only wait for news', async () => {
  const metrics = new Metrics();
  const pauseSeconds = pauseIn(metrics);
  const waiting: Partial<Record<ShareKind, number>> = {
    'live updates': 2,
    'waiting chat requests': 1,
  };
  const shares = { count: (kind: ShareKind) => waiting[kind] ?? 0 };
  const open = [4, 3];
  const pauses: number[] = [];

  collectWhenQuiet(metrics, () => busyAnswers(open.shift() ?? 3, shares), LOOKS);
  await until('a collection', async () => {
    pauses.push(await pauseSeconds());
    return pauses.at(-1) !== 0;
  });

  expect(pauses[0]).toBe(0);
  expect(busyAnswers(2, shares)).toBe(0);
});

it('collects again after the heap has grown, and not before', async () => {
  const metrics = new Metrics();
  const pauseSeconds = pauseIn(metrics);
  let looks = 0;
  collectWhenQuiet(metrics, () => ((looks += 1), 0), LOOKS);
  await until('the first collection', async () => (await pauseSeconds()) > 0);
  const first = await pauseSeconds();

  const seen = looks;
  await until('further looks', () => looks > seen + 2);
  expect(await pauseSeconds()).toBe(first);

  const large = Array.from({ length: 8 }, () => Array.from({ length: 1024 ** 2 }, () => 0));
  await until('another collection', async () => (await pauseSeconds()) !== first);
  expect(large).toHaveLength(8);
});
