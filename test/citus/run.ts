/**
 * `npm run test:citus [-- ARGUMENTS OF JEST]`: starts a Citus cluster of one coordinator and two
 * workers on loopback addresses, and runs specs of the API with every test database a member of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startCitusCluster } from './citus-cluster.js';
import { prepareCitusEngine } from './citus-engine.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const SPECS = [
  'test/citus',
  'test/news/access.spec.ts',
  'test/news/chaos.spec.ts',
  'test/news/feeds.spec.ts',
  'test/news/folders.spec.ts',
  'test/news/identity-deliveries.spec.ts',
  'test/news/items.spec.ts',
  'test/news/labels.spec.ts',
  'test/news/live.spec.ts',
  'test/news/lost-revisions.spec.ts',
  'test/news/merging.spec.ts',
  'test/news/notices.spec.ts',
  'test/news/retention.spec.ts',
  'test/news/highlights.spec.ts',
  'test/news/saved-pages.spec.ts',
  'test/news/imports.spec.ts',
  'test/news/group-folders.spec.ts',
  'test/news/boards.spec.ts',
  'test/news/board-telling.spec.ts',
  'test/news/rules.spec.ts',
  'test/news/saved-searches.spec.ts',
  'test/news/search.spec.ts',
  'test/news/stories.spec.ts',
  'test/news/streams.spec.ts',
  'test/news/sync-hazard.spec.ts',
  'test/news/updater.spec.ts',
];

const folder = await temporaryFolder('citus');
await chmod(folder, 0o755);
try {
  const engine = prepareCitusEngine(path.join(folder, 'engine'));
  if ('missing' in engine) {
    const mustBeThere = process.env['CI'] === 'true' && process.getuid?.() === 0;
    process.stdout.write(`SKIPPED  specs on a Citus cluster: ${engine.missing}\n`);
    process.exitCode = mustBeThere ? 1 : 0;
  } else {
    process.exitCode = await runSpecs(engine.programs);
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function runSpecs(programs: string): Promise<number> {
  const cluster = await startCitusCluster(programs, path.join(folder, 'nodes'));
  try {
    const given = process.argv.slice(2);
    const jest = spawn(
      process.execPath,
      ['--no-warnings', 'node_modules/jest/bin/jest.js', ...(given.length > 0 ? given : SPECS)],
      {
        cwd: ROOT,
        stdio: 'inherit',
        env: {
          ...process.env,
          TEST_DATABASE_URL: cluster.coordinator.url,
          // For specs that kill servers of a cluster of their own.
          TEST_CITUS_PROGRAMS: programs,
          TEST_CITUS_WORKERS: cluster.workers.map((worker) => worker.url).join(' '),
        },
      },
    );
    // The terminal interrupts jest and the servers as well; their ends are awaited below.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => jest.kill());
    const [code] = (await once(jest, 'close')) as [number | null];
    return code ?? 1;
  } finally {
    await cluster.stop();
  }
}
