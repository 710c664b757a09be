import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MILLISECONDS = 50;

/**
 * Runs `work` under an exclusive lock file. The lock of a dead process counts as free, so no
 * cleanup is needed after a crash.
 *
 * @param lockFile in a folder that only processes of this machine use
 */
export async function withProcessLock<Result>(
  lockFile: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const claim = `${process.pid} ${await startOfProcess(process.pid)} ${randomUUID()}`;
  await acquire(lockFile, claim);
  try {
    return await work();
  } finally {
    await rm(lockFile, { force: true });
  }
}

async function acquire(lockFile: string, claim: string): Promise<void> {
  const draft = `${lockFile}.${randomUUID()}`;
  await writeFile(draft, claim, { mode: 0o600 });
  try {
    while (!(await linked(draft, lockFile))) {
      const holder = await readFile(lockFile, 'utf8').catch(() => undefined);
      if (holder !== undefined && !(await lives(holder))) {
        await clearAway(lockFile, holder);
        continue;
      }
      await pause(RETRY_MILLISECONDS);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes the file of a dead holder. Several processes may find it at once: only one may remove it,
 * and none may remove the file of the next holder.
 */
async function clearAway(lockFile: string, deadHolder: string): Promise<void> {
  const [, , claimId] = deadHolder.split(' ');
  await withProcessLock(`${lockFile}.clear-${claimId}`, async () => {
    if ((await readFile(lockFile, 'utf8').catch(() => undefined)) === deadHolder) {
      await rm(lockFile);
    }
  });
}

async function linked(draft: string, lockFile: string): Promise<boolean> {
  try {
    await link(draft, lockFile);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

async function lives(holder: string): Promise<boolean> {
  const [pid, start] = holder.split(' ');
  return (await startOfProcess(Number(pid))) === start;
}

/**
 * Start time of a process, to detect reused pids, which are frequent in containers. Without
 * `/proc`, only whether the pid is in use.
 */
async function startOfProcess(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : fields[18];
  }
  try {
    process.kill(pid, 0);
    return 'running';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'running' : undefined;
  }
}
