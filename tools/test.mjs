/**
 * `npm test`: the specs of the pages in vitest, then all others in jest. Arguments are those of one of the
 * two: of vitest if one is a path in web/src, of jest otherwise.
 */
import { spawnSync } from 'node:child_process';

const given = process.argv.slice(2);
const ofPages = given.some((word) => /(?:^|\/)web\/src\//.test(word));
const runs = [
  ['vitest/vitest.mjs', 'run', '--config', 'web/vitest.config.ts'],
  ['jest/bin/jest.js'],
].filter((_, isJest) => given.length === 0 || ofPages !== Boolean(isJest));

for (const [runner, ...words] of runs) {
  const command = ['--no-warnings', `node_modules/${runner}`, ...words, ...given];
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' });
  process.exitCode ||= status ?? 1;
}
