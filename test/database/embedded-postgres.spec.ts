import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { doLastActs } from '../../src/common/last-acts.js';
import {
  holdEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/database/embedded/embedded-postgres.js';
import { aDatabaseProcess, type DatabaseProcess } from '../support/a-database-process.js';
import { describeLong } from '../support/long.js';
import { TEMPORARY } from '../support/temporary-folder.js';
import { PROCESS_SECONDS, until } from '../support/until.js';

const isRoot = process.getuid?.() === 0;
const describeAsRoot = isRoot ? describe : describe.skip;

describeLong('the embedded database', () => {
  let folder: string;
  /** A data folder after a clean shutdown. */
  let usedDataDir: string;
  let dataDir: string;
  let log: string[];
  let holds: EmbeddedPostgres[];
  let processes: DatabaseProcess[];
  /** Database folders outside of `folder`. */
  let outside: string[];
  /** What the first start has made. */
  let firstStart: unknown;
  let socketMode: number;
  let serverUid: number;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(TEMPORARY, 'gatefold-spec-'));
    await chmod(folder, 0o711);
    usedDataDir = path.join(folder, 'used');
    outside = [];
    dataDir = usedDataDir;
    log = [];
    holds = [];
    const { address, release } = await hold();
    [firstStart] = await query(
      address,
      `select current_database() as name, current_setting('server_encoding') as encoding,
              current_setting('fsync') as fsync, 'é' < 'z' as sorts_by_language,
              current_setting('listen_addresses') as addresses`,
    );
    socketMode = (await stat(address.socketDir)).mode & 0o777;
    if (isRoot) {
      serverUid = statSync(`/proc/${serverPid()}`).uid;
    }
    await release();
  });

  beforeEach(() => {
    dataDir = usedDataDir;
    log = [];
    holds = [];
    processes = [];
  });

  afterEach(async () => {
    await Promise.all(processes.map((process) => process.kill()));
    // Adopts and stops servers that a test has left running.
    if (serverRuns()) {
      await hold();
    }
    await Promise.all(holds.map((held) => held.release()));
  });

  afterAll(async () => {
    await Promise.all(
      [folder, ...outside].map((left) => rm(left, { recursive: true, force: true })),
    );
  });

  function useNewDataDir(name: string): void {
    dataDir = path.join(folder, name);
  }

  async function hold(): Promise<EmbeddedPostgres> {
    const held = await holdEmbeddedPostgres({ dataDir, log: (line) => log.push(line) });
    holds.push(held);
    return held;
  }

  async function startProcess(): Promise<DatabaseProcess> {
    const process = await aDatabaseProcess(dataDir);
    processes.push(process);
    return process;
  }

  function clusterDir(): string {
    return path.join(dataDir, 'postgres/data');
  }

  function serverPid(): number {
    return Number(readFileSync(path.join(clusterDir(), 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  function serverRuns(): boolean {
    return existsSync(path.join(clusterDir(), 'postmaster.pid'));
  }

  function serverIsAlive(): boolean {
    try {
      return process.kill(serverPid(), 0);
    } catch {
      return false;
    }
  }

  /** Resolves when that many holders have said so. */
  async function untilRunningAgain(holders: number): Promise<void> {
    const said = 'The embedded database is running again.';
    const isSo = () => log.filter((line) => line === said).length === holders;
    await until('the database to run again', isSo, PROCESS_SECONDS);
  }

  it('is created on the first start, empty and in UTF-8', () => {
    expect(firstStart).toMatchObject({
      name: 'gatefold',
      encoding: 'UTF8',
      fsync: 'on',
      sorts_by_language: false,
    });
  });

  it('is not reachable over the network, and by socket only for its own user', () => {
    expect(firstStart).toMatchObject({ addresses: '' });
    expect(socketMode).toBe(0o700);
  });

  it('keeps data across restarts', async () => {
    const first = await hold();
    await query(first.address, 'create table kept as select 42 as answer');
    await first.release();

    const second = await hold();

    expect(await query(second.address, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('is shared by its holders, and stops when the last one releases it', async () => {
    const first = await hold();
    const pid = serverPid();
    const second = await hold();
    expect(serverPid()).toBe(pid);

    await first.release();
    expect(await query(second.address, 'select 1 as one')).toEqual([{ one: 1 }]);

    await second.release();
    expect(serverRuns()).toBe(false);
  });

  it('stops when two release it at once', async () => {
    const [first, second] = [await hold(), await hold()];

    await Promise.all([first.release(), second.release()]);

    expect(serverRuns()).toBe(false);
  });

  it('is created once by processes that start at the same time', async () => {
    useNewDataDir('together');
    const [first, second] = await Promise.all([startProcess(), startProcess(), hold()]);

    await Promise.all([first.acknowledges(1), second.acknowledges(1)]);
    const [row] = await query(
      (await hold()).address,
      `select count(distinct system_identifier)::int as servers from pg_control_system()`,
    );

    expect(row).toEqual({ servers: 1 });
  });

  it('continues for a process while another one stops', async () => {
    const staying = await startProcess();
    const leaving = await startProcess();

    await leaving.stop();

    await staying.acknowledges(10);
    expect(serverRuns()).toBe(true);
    await staying.stop();
    expect(serverRuns()).toBe(false);
  });

  it('survives a killed process, loses no acknowledged row, and is adopted', async () => {
    const service = await startProcess();
    await service.acknowledges(50);
    const pid = serverPid();

    await service.kill();
    const { address, release } = await hold();

    expect(serverPid()).toBe(pid);
    expect(await missingRows(address, service)).toBe(0);
    await release();
    expect(serverRuns()).toBe(false);
  });

  it('recovers after both were killed, with every acknowledged row', async () => {
    const service = await startProcess();
    await service.acknowledges(200);

    process.kill(serverPid(), 'SIGKILL');
    await service.kill();
    const { address } = await hold();

    expect(await missingRows(address, service)).toBe(0);
  });

  it('is restarted when it is killed while a process holds it', async () => {
    const { address } = await hold();
    const pid = serverPid();

    process.kill(pid, 'SIGKILL');
    await untilRunningAgain(1);

    expect(serverPid()).not.toBe(pid);
    expect(await query(address, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is not orphaned by a holder that releases it during a restart', async () => {
    const { release } = await hold();

    process.kill(serverPid(), 'SIGKILL');
    await until('a line about the killed server', () => log.length > 0);
    await release();

    // A killed server may take a moment to exit; an orphaned one would remain.
    await until('the end of the server', () => !serverIsAlive(), PROCESS_SECONDS);
    expect(serverIsAlive()).toBe(false);
  });

  it('recovers once for all its holders, who then still share it', async () => {
    const [first, second] = [await hold(), await hold()];

    process.kill(serverPid(), 'SIGKILL');
    await untilRunningAgain(2);
    await first.release();

    expect(await query(second.address, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts after a process died while starting it', async () => {
    useNewDataDir('interrupted');
    const base = path.join(dataDir, 'postgres');
    await mkdir(path.join(base, 'data-draft/base'), { recursive: true });
    await mkdir(path.join(base, 'runtime-draft'), { recursive: true });
    await writeFile(path.join(base, 'turn.lock'), `${process.pid} 1 of-an-earlier-process`);

    const { address } = await hold();

    expect(await query(address, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('reports the last lines of its log when it cannot start', async () => {
    await (await hold()).release();
    await writeFile(path.join(clusterDir(), 'postgresql.auto.conf'), 'no_such_setting = 1\n');

    const error = await hold().catch((caught: unknown) => caught);

    await writeFile(path.join(clusterDir(), 'postgresql.auto.conf'), '');
    expect(String(error)).toContain('no_such_setting');
  });

  it('rejects a database of another PostgreSQL version', async () => {
    await (await hold()).release();
    const version = path.join(clusterDir(), 'PG_VERSION');
    const own = await readFile(version, 'utf8');
    await writeFile(version, '12\n');

    const error = await hold().catch((caught: unknown) => caught);

    await writeFile(version, own);
    expect(String(error)).toMatch(/PostgreSQL 12.*includes PostgreSQL 18/);
  });

  it('works in a folder with a path too long for a socket', async () => {
    useNewDataDir('long'.repeat(30));

    const { address } = await hold();

    expect(await query(address, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(address.socketDir.startsWith(folder)).toBe(false);
    outside.push(address.socketDir);
    expect((await stat(address.socketDir)).mode & 0o777).toBe(0o700);
  });

  it('works in a folder whose path has signs of shells and of lists', async () => {
    useNewDataDir(`a "b" $HOME 'c', \\d \`e\` ü`);

    const { address } = await hold();

    expect(await query(address, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts although another process has got the number of a killed server', async () => {
    await (await hold()).release();
    const { uid } = statSync(clusterDir());
    const stranger = spawn('sleep', ['120'], { uid, stdio: 'ignore' });
    const locks = ['data/postmaster.pid', 'socket/.s.PGSQL.5432.lock'];
    await mkdir(path.join(dataDir, 'postgres/socket'), { recursive: true, mode: 0o700 });
    for (const lock of locks.map((name) => path.join(dataDir, 'postgres', name))) {
      await writeFile(lock, `${stranger.pid}\n`);
      await chown(lock, uid, uid);
    }

    const { address } = await hold();

    expect(await query(address, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(stranger.kill()).toBe(true);
  });

  it('stops with its last holder although all sessions were lost', async () => {
    const { address, release } = await hold();
    const [holder] = (await query(
      address,
      `select pid from pg_stat_activity where application_name = 'gatefold holder'`,
    )) as { pid: number }[];

    process.kill(holder?.pid ?? 0, 'SIGKILL');
    await release();

    expect(serverRuns()).toBe(false);
  });

  it('leaves nothing running when its process is told to end while it is created', async () => {
    useNewDataDir('ended');
    const refused = hold().catch(String);
    const base = path.join(dataDir, 'postgres');
    const isCreated = () =>
      existsSync(base) && readdirSync(base).some((name) => name.startsWith('data-draft'));
    await until('the creation', isCreated, PROCESS_SECONDS);

    await doLastActs();

    expect(await refused).toMatch('aborted');
    expect(readdirSync(base)).not.toContain('data');
  });

  it('does not use a socket folder of another user', async () => {
    useNewDataDir('long'.repeat(31));
    const held = await hold();
    await held.release();
    await symlink(folder, held.address.socketDir);

    const attempt = hold();

    await expect(attempt).rejects.toThrow('belongs to another user');
    await rm(held.address.socketDir);
  });

  describeAsRoot('started by root', () => {
    it('runs as another user', () => {
      expect(serverUid).not.toBe(0);
    });

    it('uses another folder, permanently, if only root can reach the data folder', async () => {
      const forRootOnly = path.join(folder, 'for-root-only');
      await mkdir(forRootOnly, { mode: 0o700 });
      dataDir = path.join(forRootOnly, 'data');

      const first = await hold();
      const elsewhere = path.dirname(first.address.socketDir);
      outside.push(elsewhere);
      await query(first.address, 'create table kept as select 42 as answer');
      await first.release();
      await chmod(forRootOnly, 0o711);
      const second = await hold();

      expect(log[0]).toContain(`the database is kept in ${elsewhere}`);
      expect(second.address).toEqual(first.address);
      expect(await query(second.address, 'select answer from kept')).toEqual([{ answer: 42 }]);
      expect(elsewhere.startsWith('/var/lib/gatefold/')).toBe(true);
    });
  });
});

type Address = EmbeddedPostgres['address'];

async function query(address: Address, sql: string): Promise<unknown[]> {
  const client = new Client({
    host: address.socketDir,
    user: address.user,
    database: address.dbName,
  });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function missingRows(address: Address, writer: DatabaseProcess): Promise<number> {
  const rows = await query(
    address,
    `select row_number from acknowledged where process_id = ${writer.pid}`,
  );
  const found = new Set(rows.map((row) => (row as { row_number: number }).row_number));
  const acknowledged = Array.from({ length: writer.lastAcknowledged() }, (_, index) => index + 1);
  return acknowledged.filter((row) => !found.has(row)).length;
}
