import { expect, it } from '@jest/globals';
import { until } from '../../test/support/until.js';
import { Metrics } from '../common/metrics/metrics.js';
import { collectStart } from './collect-start.js';

it('collects once no request is open, and tells how long it took', async () => {
  const metrics = new Metrics();
  const pauseSeconds = async () => {
    const gauge = metrics.registry.getSingleMetric('gatefold_start_collection_seconds');
    return (await gauge?.get())?.values[0]?.value ?? 0;
  };
  const open = [2, 1, 0];
  const pauses: number[] = [];

  collectStart(metrics, () => open.shift() ?? 0, 0);
  await until('a collection', async () => {
    pauses.push(await pauseSeconds());
    return open.length === 0 && pauses.at(-1) !== 0;
  });

  expect(pauses[0]).toBe(0);
});
