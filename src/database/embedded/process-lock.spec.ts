import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withProcessLock } from './process-lock.js';

describe('a process lock', () => {
  let folder: string;
  let lockFile: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'gatefold-lock-'));
    lockFile = path.join(folder, 'lock');
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  /** Runs as many pieces of work at once; the answer is how many were under way together at most. */
  async function mostAtOnce(count: number): Promise<number> {
    let underWay = 0;
    let most = 0;
    const work = async () => {
      underWay++;
      most = Math.max(most, underWay);
      await nextTurn();
      underWay--;
    };
    await Promise.all(Array.from({ length: count }, () => withProcessLock(lockFile, work)));
    return most;
  }

  async function claimOfALiveProcess(): Promise<string> {
    return withProcessLock(lockFile, () => readFile(lockFile, 'utf8'));
  }

  it('lets one work at a time', async () => {
    expect(await mostAtOnce(10)).toBe(1);
  });

  it('passes on what the work gives, and is free again', async () => {
    expect(await withProcessLock(lockFile, async () => 'given')).toBe('given');
    expect(await readdir(folder)).toEqual([]);
  });

  it('is free again after work that fails', async () => {
    const failing = withProcessLock(lockFile, async () => {
      throw new Error('no luck');
    });

    await expect(failing).rejects.toThrow('no luck');
    expect(await readdir(folder)).toEqual([]);
  });

  it('counts as free when its holder has died, and still lets one work at a time', async () => {
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(child, 'close');
    await writeFile(lockFile, `${child.pid} 1 some-claim`);

    expect(await mostAtOnce(10)).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('counts as free when another process got the number of its dead holder', async () => {
    const [pid, , id] = (await claimOfALiveProcess()).split(' ');
    await writeFile(lockFile, `${pid} start-of-an-earlier-process ${id}`);

    expect(await withProcessLock(lockFile, async () => 'free')).toBe('free');
  });

  it('stays taken while its holder lives', async () => {
    const order: string[] = [];
    await writeFile(lockFile, await claimOfALiveProcess());

    const waiting = withProcessLock(lockFile, async () => order.push('second'));
    // A lock that is free takes no longer than this.
    await withProcessLock(`${lockFile}-of-others`, async () => {});
    await withProcessLock(`${lockFile}-of-others`, async () => {});
    order.push('first');
    await rm(lockFile);
    await waiting;

    expect(order).toEqual(['first', 'second']);
  });
});
