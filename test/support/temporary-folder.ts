import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { preparePostgresPaths } from '../../src/database/embedded/embedded-postgres-files.js';
import { stopServer } from '../../src/database/embedded/embedded-postgres-server.js';

const PREFIX = 'gatefold-test-';

const MEMORY = '/dev/shm';

/** For the databases of two workers, and the server log. */
const NEEDED_BYTES = 3 * 1024 ** 3;

/**
 * Parent of temporary folders: in memory, if that is large enough and may execute the database's
 * programs. Copying the template mostly creates files, which takes a tenth of the time there.
 */
export const TEMPORARY = canUseMemory() ? MEMORY : os.tmpdir();

/** Creates a folder named after the process, so that a later run can delete it after a kill. */
export async function temporaryFolder(purpose: string): Promise<string> {
  return mkdtemp(path.join(TEMPORARY, `${PREFIX}${process.pid}-${purpose}-`));
}

/**
 * Deletes the folders of processes that have ended, and stops the database servers in them. Folders
 * that cannot be deleted stay: another run may be deleting them at the same time.
 *
 * @param parent where `temporaryFolder` creates them
 */
export async function removeFoldersOfDeadProcesses(parent: string = TEMPORARY): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) {
      const folder = path.join(parent, name);
      await stopDatabase(folder).catch(() => {});
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
    }
  }
}

function canUseMemory(): boolean {
  if (!existsSync(MEMORY)) {
    return false;
  }
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === MEMORY);
  const { bavail, bsize } = statfsSync(MEMORY);
  return mount?.includes('noexec') === false && bavail * bsize > NEEDED_BYTES;
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
