import fc from 'fast-check';
import { parseArgs } from 'node:util';
import { startTestServer } from '../../test/support/test-server.js';
import { TARGETS } from './targets.js';

/*
 * npm run fuzz -- --target feeds --minutes 10 [--seed 7]
 *
 * Prints each different failure once, with its seed and the smallest input that was found. Without
 * --target all targets share the time.
 */

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const chosen = TARGETS.filter(({ name }) => values.target === undefined || name === values.target);
if (chosen.length === 0) {
  throw new Error(`Targets are ${TARGETS.map(({ name }) => name).join(', ')}.`);
}
const millisecondsEach = (Number(values.minutes) * 60_000) / chosen.length;
const seed = Number(values.seed);

const server = await startTestServer();
for (const target of chosen) {
  const until = Date.now() + millisecondsEach;
  const open = await target.open();
  const seen = new Set<string>();
  let inputs = 0;
  for (let round = 0; Date.now() < until; round += 1) {
    const details = await fc.check(open.property, {
      seed: seed + round,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: until - Date.now(),
      markInterruptAsFailure: false,
    });
    inputs += details.numRuns;
    const { message } = (details.errorInstance ?? { message: '' }) as Error;
    if (details.failed && !seen.has(message)) {
      seen.add(message);
      process.stdout.write(
        `${target.name}, seed ${seed + round}: ${message}\n  ${fc.stringify(details.counterexample)}\n`,
      );
      process.exitCode = 1;
    }
  }
  await open.close();
  process.stdout.write(
    `${target.name}: ${inputs} inputs from seed ${seed} on, ${seen.size} different failures\n`,
  );
}
await server.stop();
process.exit();
