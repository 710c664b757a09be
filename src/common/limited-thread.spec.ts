import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';

/** Keeps so much of what it allocates that the young generation grows to its limit; tells its size in MiB. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { parentPort } from 'node:worker_threads';
  let kept = [];
  for (let n = 0; n < 1e6; n += 1) {
    kept.push({ text: 'text ' + n });
    kept = kept.length > 6e4 ? [] : kept;
  }
  const { space_size: bytes } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  parentPort.postMessage(bytes / 1024 ** 2);
`;

const MAIN = `
  import { startLimitedThread } from './src/common/limited-thread.ts';
  const file = new URL('data:text/javascript,' + encodeURIComponent(process.argv[1]));
  const thread = startLimitedThread(file, {
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 6 },
  });
  thread.once('message', (mib) => console.log(mib));
`;

it('the young generation of the main thread is not that of other threads', () => {
  const flags = ['--max-semi-space-size=16', '--import', './test/support/run-typescript.mjs'];
  const program = ['--input-type=module', '--eval', MAIN, PROGRAM];

  const mib = Number(execFileSync(process.execPath, [...flags, ...program], { encoding: 'utf8' }));

  expect(mib).toBeGreaterThan(0);
  expect(mib).toBeLessThanOrEqual(6);
});
