import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import {
  holdEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/database/embedded/embedded-postgres.js';
import { isLong } from '../support/long.js';
import { PROCESS_SECONDS, until } from '../support/until.js';

const run = promisify(execFile);

/** A separate file system, which only root can create; skipped otherwise. */
const disk = isLong ? await mkdtemp(path.join(os.tmpdir(), 'gatefold-disk-')) : '';
const mounting = isLong && run('mount', ['-t', 'tmpfs', '-o', 'size=420m', 'tmpfs', disk]);
const isMounted = await Promise.resolve(mounting).then(Boolean, () => false);

(isMounted ? describe : describe.skip)('the embedded database on a full disk', () => {
  const log: string[] = [];
  let held: EmbeddedPostgres;

  beforeAll(async () => {
    await chmod(disk, 0o711);
    held = await holdEmbeddedPostgres({
      dataDir: path.join(disk, 'data'),
      log: (line) => log.push(line),
    });
    await held.keepDiskReserve();
  });
  afterAll(async () => {
    await held.release();
    await run('umount', [disk]);
    await rm(disk, { recursive: true });
  });

  it('restarts in the reserved space, with all committed rows, and can delete rows', async () => {
    await query('create table kept as select generate_series(1, 1000) as n');
    await fillDisk();
    await killServer();
    await until(
      'the database to run again',
      () => log.includes('The embedded database is running again.'),
      PROCESS_SECONDS,
    );

    expect(log).toContainEqual(
      expect.stringMatching(/^The disk is full. Freed the reserved space/),
    );
    expect(await query('select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
    await query('delete from kept where n > 500');
    expect(await query('select count(*)::int as n from kept')).toEqual([{ n: 500 }]);
  });

  it('reserves the space again once the disk has room', async () => {
    const ballast = path.join(disk, 'data', 'postgres', 'ballast');
    expect(existsSync(ballast)).toBe(false);
    await held.keepDiskReserve();
    expect(existsSync(ballast)).toBe(false);

    await rm(path.join(disk, 'others'));
    await held.keepDiskReserve();

    expect(existsSync(ballast)).toBe(true);
  });

  it('starts by itself when the disk has room, also without reserved space', async () => {
    const starts = held.restarts();
    await fillDisk();
    await killServer();
    await untilRestarted(starts + 1);
    await fillDisk();
    await killServer();
    await until(
      'a start that fails',
      () => log.some((line) => line.endsWith('Trying again in 5 s.')),
      PROCESS_SECONDS,
    );

    const refused = holdEmbeddedPostgres({ dataDir: path.join(disk, 'new'), log: () => {} });
    const [cause] = (await refused.catch(String)).toString().split('\n');
    await rm(path.join(disk, 'others'));
    await untilRestarted(starts + 2);

    expect(log.at(-1)).toBe('The embedded database is running again.');
    // Which of several writes fails first differs.
    expect(log.findLast((line) => line.includes('again: '))).toMatch(
      /^.* again: .*(disk .*is full|no space left on device)/,
    );
    expect(cause).toMatch(/the disk is full|disk .* is full|No space left|ENOSPC/);

    expect(await query('select count(*)::int as n from kept')).toEqual([{ n: 500 }]);
  });

  const untilRestarted = (times: number) =>
    until(`restart ${times} of the database`, () => held.restarts() === times, PROCESS_SECONDS);

  /** Fills the disk to the last block. */
  async function fillDisk(): Promise<void> {
    for (let size = 1 << 20; size >= 4096;) {
      try {
        await appendFile(path.join(disk, 'others'), Buffer.alloc(size));
      } catch {
        size /= 2;
      }
    }
  }

  /** Like a server that crashed on a full disk, with its WAL to be replayed. */
  async function killServer(): Promise<void> {
    const pidFile = path.join(disk, 'data', 'postgres', 'data', 'postmaster.pid');
    process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGKILL');
  }

  async function query(sql: string): Promise<unknown[]> {
    const { socketDir, user, dbName } = held.address;
    const client = new Client({ host: socketDir, user, database: dbName });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }
});
