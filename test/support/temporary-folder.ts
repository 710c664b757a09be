import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { preparePostgresPaths } from '../../src/database/embedded/embedded-postgres-files.js';
import { stopServer } from '../../src/database/embedded/embedded-postgres-server.js';

const PREFIX = 'gatefold-test-';

/** Makes a folder whose name tells the process, so that a later run can remove it after a kill. */
export async function temporaryFolder(
  purpose: string,
  parent: string = os.tmpdir(),
): Promise<string> {
  return mkdtemp(path.join(parent, `${PREFIX}${process.pid}-${purpose}-`));
}

/**
 * Removes the folders of processes that are gone, and stops the database servers in them. What
 * cannot be removed stays: another run may be at it at the same time.
 *
 * @param parent where `temporaryFolder` makes them
 */
export async function removeFoldersOfDeadProcesses(parent: string = os.tmpdir()): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) {
      const folder = path.join(parent, name);
      await stopDatabase(folder).catch(() => {});
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
    }
  }
}

async function stopDatabase(dataDir: string): Promise<void> {
  if (existsSync(path.join(dataDir, 'postgres/data/postmaster.pid'))) {
    await stopServer(await preparePostgresPaths(dataDir, () => {}));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
