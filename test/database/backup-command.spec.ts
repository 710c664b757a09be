import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Config } from '../../src/common/config/config.js';
import { RestoreHooks } from '../../src/common/ports/hooks.js';
import { CONTENTS_LOCK } from '../../src/database/backup/contents-lock.js';
import { BlobSweep } from '../../src/platform/files/content/blob-sweep.task.js';
import { filesStoreOfTheRun, storedContents } from '../support/an-object-store.js';
import { ApiClient } from '../support/api-client.js';
import { itLong } from '../support/long.js';
import { runCommand, type CommandRun } from '../support/run-command.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import {
  createTestDatabase,
  dropDatabase,
  SECRET_KEY,
  urlOfDatabase,
} from '../support/test-database.js';

const SECRET = { GATEFOLD_BACKUP_PASSPHRASE: 'four words of a passphrase' };
const CONTENT = randomBytes(100_000);

/** A small disk, which only root can create. */
const disk = await mkdtemp(path.join(os.tmpdir(), 'gatefold-disk-'));
const run = promisify(execFile);
const isMounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).then(
  () => true,
  () => false,
);

let folder: string;
let app: TestApp;
let user: TestUser;
let settings: Record<string, string>;
/** A backup with files and with the key. */
let whole: string;
let written: CommandRun;
const databases: string[] = [];

beforeAll(async () => {
  folder = await temporaryFolder('backup-command');
  const dataDir = path.join(folder, 'data');
  const store = await filesStoreOfTheRun();
  app = await startApp({ GATEFOLD_DATA_DIR: dataDir, ...store });
  user = await app.signIn();
  const [row] = await app.database.query<{ name: string }>('select current_database() as name');
  settings = { DATABASE_URL: urlOfDatabase(row?.name ?? ''), GATEFOLD_DATA_DIR: dataDir, ...store };
  await user.call('PUT', fileOf('picture.bin'), { body: CONTENT });
  await user.call('PUT', fileOf('empty.txt'), { body: '' });
  whole = path.join(folder, 'whole.backup');
  written = await runCommand(['backup', whole], { ...settings, ...SECRET });
});
afterAll(async () => {
  await app.stop();
  for (const name of databases) {
    await dropDatabase(name);
  }
  if (isMounted) {
    await run('umount', [disk]);
  }
  await rm(disk, { recursive: true });
  await rm(folder, { recursive: true });
});

/** Settings of a new installation, whose database is missing. */
function elsewhere(name: string): Record<string, string> {
  const database = `gatefold_restored_${randomBytes(8).toString('hex')}`;
  databases.push(database);
  return { DATABASE_URL: urlOfDatabase(database), GATEFOLD_DATA_DIR: path.join(folder, name) };
}

/** The same with a database without rows, for which a restore need not migrate. */
async function migratedElsewhere(name: string): Promise<Record<string, string>> {
  const { url } = await createTestDatabase();
  databases.push(new URL(url).pathname.slice(1));
  return { DATABASE_URL: url, GATEFOLD_DATA_DIR: path.join(folder, name) };
}

async function withAnotherKey(): Promise<Record<string, string>> {
  const there = await migratedElsewhere(randomBytes(8).toString('hex'));
  return { ...there, GATEFOLD_SECRET_KEY: 'another key of the tests, quite as long' };
}

const fileOf = (name: string) => `/remote.php/dav/files/${user.credentials.userId}/${name}`;

it('moves an installation with its files and its key, while the service runs', async () => {
  expect(written).toMatchObject({ code: 0, complaints: '' });
  expect(written.output.toString()).toContain('and 2 contents of files (97.7 KB)');
  expect((await stat(whole)).mode & 0o077).toBe(0);
  const [event] = await app.database.query(
    `select actor_id, credential, details from security_event where kind = 'backup_written'`,
  );
  expect(event).toEqual({ actor_id: null, credential: 'command line', details: 'whole.backup' });

  const verified = await runCommand(['backup:verify', whole], {});
  expect(verified.output.toString()).toMatch(/is complete.*\n.*2 contents.*\n.*encrypted with a/);

  const store = await filesStoreOfTheRun();
  const there = { ...elsewhere('moved'), ...store, GATEFOLD_SECRET_KEY: '' };
  const restored = await runCommand(['restore', whole], { ...there, ...SECRET });
  expect(restored).toMatchObject({ code: 0, complaints: '' });
  expect(await readFile(path.join(folder, 'moved', 'secret.key'), 'utf8')).toBe(SECRET_KEY);

  const again = await startApp({ ...there, GATEFOLD_SECRET_KEY: SECRET_KEY });
  try {
    const asUser = new ApiClient(again.url, user.credentials);
    const answer = await fetch(`${again.url}${fileOf('picture.bin')}`, {
      headers: { Authorization: basic(user.credentials) },
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(CONTENT)).toBe(true);
    expect((await asUser.get(fileOf('empty.txt'))).status).toBe(200);
    expect((await asUser.call('PUT', fileOf('new.txt'), { body: 'new' })).status).toBe(201);
  } finally {
    await again.stop();
  }
});

itLong('goes through stdout and stdin', async () => {
  const { code, complaints, output } = await runCommand(['backup', '-'], settings);
  expect(code).toBe(0);
  expect(complaints).toContain('GATEFOLD_SECRET_KEY');

  const there = await migratedElsewhere('piped');
  expect((await runCommand(['backup:verify', '-'], {}, output)).code).toBe(0);
  const restored = await runCommand(['restore', '-'], there, output);
  expect(restored.output.toString()).toMatch(/The secret key is that of the backup/);
  expect(restored.code).toBe(0);

  const over = await runCommand(['restore', '-'], there, output);
  expect(over.code).toBe(1);
  expect(over.complaints).toContain('is not empty');
});

itLong('replaces an installation if told to', async () => {
  const there = await migratedElsewhere('replaced');
  expect((await runCommand(['restore', whole], there)).code).toBe(0);

  expect((await runCommand(['restore', whole], there)).code).toBe(1);
  expect((await runCommand(['restore', whole, '--replace'], there)).code).toBe(0);
});

it('that ends after the rows is to be run again before the service starts', async () => {
  const there = await migratedElsewhere('ended');
  const hooks = jest.spyOn(RestoreHooks.prototype, 'run');
  hooks.mockRejectedValueOnce(new Error('The process ended.'));
  const ended = await runCommand(['restore', whole], there);
  hooks.mockRestore();
  expect(ended).toMatchObject({ code: 1, complaints: expect.stringContaining('process ended') });

  const refusal = 'A restore was not completed. Run it again, with --replace.';
  await expect(startApp(there)).rejects.toThrow(refusal);
  expect(await runCommand(['user:list'], there)).toMatchObject({ complaints: `${refusal}\n` });
  const examined = await runCommand(['doctor'], there);
  expect(examined.output.toString()).toContain('ERROR   A restore was not completed.');

  expect((await runCommand(['restore', whole, '--replace'], there)).code).toBe(0);
  const again = await startApp(there);
  const asUser = new ApiClient(again.url, user.credentials);
  expect((await asUser.get(fileOf('empty.txt'))).status).toBe(200);
  await again.stop();
});

itLong('without files and with another secret key says what is lost', async () => {
  const backup = path.join(folder, 'other-key.backup');
  await runCommand(['backup', backup, '--no-files'], settings);

  const restored = await runCommand(['restore', backup], await withAnotherKey());

  expect(restored.output.toString()).toMatch(/is not that of the backup.*secrets:reset/);
  expect(restored.output.toString()).toContain('The backup has no files');
});

itLong('with another secret key works after secrets:reset', async () => {
  const there = await withAnotherKey();
  await runCommand(['restore', whole], there);

  const reset = await runCommand(['secrets:reset', '--accept-loss'], there);
  expect(reset).toMatchObject({ code: 0 });
  const again = await startApp(there);
  try {
    const asUser = new ApiClient(again.url, user.credentials);
    expect((await asUser.get('/index.php/apps/news/api/v1-3/folders')).status).toBe(200);
  } finally {
    await again.stop();
  }
});

it('is refused with a wrong passphrase in words', async () => {
  const restored = await runCommand(['restore', whole], {
    ...(await migratedElsewhere('wrong')),
    GATEFOLD_SECRET_KEY: '',
    GATEFOLD_BACKUP_PASSPHRASE: 'another passphrase',
  });
  expect(restored.output.toString()).toContain('does not open the secret key');
});

it('is refused when a file is missing, or the data folder is a file', async () => {
  const noFolder = path.join(folder, 'a file');
  await writeFile(noFolder, '');
  const there = { ...(await migratedElsewhere('none')), ...SECRET, GATEFOLD_SECRET_KEY: '' };
  const refused = await runCommand(['restore', whole], { ...there, GATEFOLD_DATA_DIR: noFolder });
  expect(refused.complaints).toContain('it exists, and is not a folder');
  expect(refused).toMatchObject({ code: 1, complaints: expect.stringContaining(noFolder) });

  const missing = await runCommand(['backup:verify', path.join(folder, 'no such')], {});
  expect(missing).toMatchObject({
    code: 1,
    complaints: expect.stringMatching(/^\/.*: there is no such file or folder\.\n$/),
  });
});

it('that is damaged is refused before anything is restored', async () => {
  const bytes = await readFile(whole);
  const placeOfContents = bytes.length - 10_000;
  bytes.writeUInt8(bytes.readUInt8(placeOfContents) ^ 1, placeOfContents);
  const damaged = path.join(folder, 'damaged.backup');
  await writeFile(damaged, bytes);
  const there = await migratedElsewhere('from a damaged one');

  const refused = await runCommand(['restore', damaged], there);

  expect(refused).toMatchObject({
    code: 1,
    complaints: expect.stringContaining('is not a complete'),
  });
  expect((await runCommand(['restore', whole], there)).code).toBe(0);
});

it('leaves no half file when it cannot be written', async () => {
  const before = await readdir(folder);
  const nowhere = await runCommand(['backup', path.join(folder, 'none/x.backup')], settings);
  expect(nowhere.code).toBe(1);
  expect(nowhere.complaints).toMatch(/^\/.*: there is no such file or folder\.\n$/);

  const exists = path.join(folder, 'exists.backup');
  await writeFile(exists, 'kept');
  const refused = await runCommand(['backup', exists], settings);
  expect(refused.complaints).toMatch(/^\/.*: it exists already; name a new one\.\n$/);
  expect(await readFile(exists, 'utf8')).toBe('kept');
  await rm(exists);

  expect(await readdir(folder)).toEqual(before);
});

it('removes what a killed backup left, and not the draft of one that is written elsewhere', async () => {
  const backups = await temporaryFolder('drafts');
  const there = (name: string) => path.join(backups, name);
  const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
  const old = ['monday.backup.1.gatefold-part', 'film.1.part', 'sunday.backup'];
  for (const name of [...old, 'tuesday.backup.1.gatefold-part']) {
    await writeFile(there(name), 'half');
  }
  await Promise.all(old.map((name) => utimes(there(name), twoHoursAgo, twoHoursAgo)));

  const { code } = await runCommand(['backup', there('today.backup'), '--no-files'], settings);

  expect(code).toBe(0);
  expect((await readdir(backups)).toSorted()).toEqual([
    'film.1.part',
    'sunday.backup',
    'today.backup',
    'tuesday.backup.1.gatefold-part',
  ]);
  await rm(backups, { recursive: true });
});

(isMounted ? describe : describe.skip)('a backup on a full disk', () => {
  it('says so, and leaves no half file', async () => {
    const full = await runCommand(['backup', path.join(disk, 'x.backup')], settings);

    expect(full).toMatchObject({
      code: 1,
      complaints: expect.stringContaining('The disk is full.'),
    });
    expect(await readdir(disk)).toEqual([]);
  });
});

it('keeps contents that are deleted while a backup is written', async () => {
  await user.call('PUT', fileOf('gone.txt'), { body: 'gone' });
  const [{ id } = { id: '' }] = await app.database.query<{ id: string }>(
    `select blob_id as id from file_node where name = 'gone.txt'`,
  );
  const contents = () => storedContents(app.inside(Config));
  await app.database.query(`delete from file_node where name = 'gone.txt'`);

  await app.database.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock_shared($1)', [CONTENTS_LOCK]);
    await app.inside(BlobSweep).sweep(0);
    expect(await contents()).toContain(id);
  });

  await app.inside(BlobSweep).sweep(0);
  expect(await contents()).not.toContain(id);
});

function basic({ userId, password }: { userId: string; password: string }): string {
  return `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}`;
}
