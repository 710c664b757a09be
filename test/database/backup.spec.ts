import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { seedItems } from '../../bench/seed-items.js';
import { ormConfig } from '../../src/database/orm.config.js';
import { restoreBackup } from '../../src/database/restore-backup.js';
import { writeBackup } from '../../src/database/write-backup.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { ApiClient } from '../support/api-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { createTestDatabase, dropDatabase, urlOfDatabase } from '../support/test-database.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ITEMS = '/index.php/apps/news/api/v1-3/items';

let folder: string;
let backup: string;
let app: TestApp;
let user: TestUser;
let rows: Record<string, number>;
const databases: string[] = [];
beforeAll(async () => {
  folder = await temporaryFolder('backup');
  backup = path.join(folder, 'gatefold.backup');
  app = await startApp();
  user = await app.signIn();
  await seedItems(app, user, 3, 20);
  await user.post('/index.php/apps/news/api/v1-3/folders', {
    name: 'Tab\tNew\nline \\. “é” \u2028',
  });
  await user.post(`${ITEMS}/labels/multiple`, { itemIds: [1, 2], add: ['\\. “é” \u2028', 'b'] });
  rows = await writeBackup(app.inside(MikroORM), backup);
});
afterAll(async () => {
  await app.stop();
  for (const name of databases) {
    await dropDatabase(name);
  }
  await rm(folder, { recursive: true });
});

async function withOrm<Result>(
  url: string,
  work: (orm: MikroORM) => Promise<Result>,
): Promise<Result> {
  const orm = await MikroORM.init(ormConfig({ url }, [], 4));
  try {
    return await work(orm);
  } finally {
    await orm.close();
  }
}

/** @returns the address of a missing database */
function nowhere(): string {
  const name = `gatefold_restored_${randomBytes(8).toString('hex')}`;
  databases.push(name);
  return urlOfDatabase(name);
}

const restore = (url: string, file: string) => withOrm(url, (orm) => restoreBackup(orm, file));

/** Number and checksum of the rows of every table. */
async function contents(orm: MikroORM): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const table of Object.keys(rows)) {
    const [row] = await orm.em.getConnection().execute<{ sum: string }[]>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum
           from ${table} t`,
    );
    sums[table] = row?.sum ?? '';
  }
  return sums;
}

async function aChangedCopy(name: string, change: (text: string) => string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, gzipSync(change(gunzipSync(await readFile(backup)).toString())));
  return file;
}

it('holds every row of every table, and a restore into an empty database has them all', async () => {
  const url = nowhere();

  const restored = await restore(url, backup);

  expect(restored.rows).toEqual(rows);
  expect(restored.rows['public.item']).toBe(60);
  expect(restored.hasJobs).toBe(true);
  expect(await withOrm(url, contents)).toEqual(await contents(app.inside(MikroORM)));
});

it('works after the restore, with references and sequences beyond the former ids', async () => {
  const url = nowhere();
  await restore(url, backup);
  const before = (await user.get(ITEMS)).json as { items: { id: number }[] };

  const again = await startApp({ DATABASE_URL: url });
  try {
    await again.inside(ReadersRepository).moveAhead();
    const asUser = new ApiClient(again.url, user.credentials);
    const items = ((await asUser.get(ITEMS)).json as typeof before).items;
    expect(items.map(({ id }) => id)).toEqual(before.items.map(({ id }) => id));
    const [row] = await again.database.query<{ next: number }>(
      'select max(next_item_id) as next from reader',
    );
    expect(row?.next).toBeGreaterThan(1_000_000);
    expect(
      (await asUser.post('/index.php/apps/news/api/v1-3/folders', { name: 'New' })).status,
    ).toBe(200);
  } finally {
    await again.stop();
  }
});

it('is a consistent snapshot while the service is running', async () => {
  const file = path.join(folder, 'busy.backup');
  const state = { isWritten: false };
  const writing = writeBackup(app.inside(MikroORM), file).finally(() => (state.isWritten = true));
  for (let n = 0; !state.isWritten; n++) {
    await user.post('/index.php/apps/news/api/v1-3/folders', { name: `busy ${n}` });
  }
  const written = await writing;

  expect((await restore(nowhere(), file)).rows).toEqual(written);
});

it('is readable only by its owner, and overwrites no file', async () => {
  expect((await stat(backup)).mode & 0o077).toBe(0);
  await expect(writeBackup(app.inside(MikroORM), backup)).rejects.toThrow(/EEXIST/);
});

it('that is truncated is rejected, and leaves nothing behind', async () => {
  const cut = path.join(folder, 'cut.backup');
  const bytes = await readFile(backup);
  await writeFile(cut, bytes.subarray(0, bytes.length / 2));
  const url = nowhere();

  await expect(restore(url, cut)).rejects.toThrow(/not a complete backup/);
  expect((await restore(url, backup)).rows).toEqual(rows);
});

it('that lacks a row, or its end, is rejected', async () => {
  const lacking = await aChangedCopy('lacking', (text) =>
    text.replace(/\n[^\n]+Feed 1\t[^\n]*/, ''),
  );
  const endless = await aChangedCopy('endless', (text) =>
    text.slice(0, text.trimEnd().lastIndexOf('\n') + 1),
  );

  await expect(restore(nowhere(), lacking)).rejects.toThrow(/foreign key|not a whole/);
  await expect(restore(nowhere(), endless)).rejects.toThrow(/not a complete backup/);
});

it('that is another file, or of a newer version, is rejected', async () => {
  const other = path.join(folder, 'other');
  await writeFile(other, 'no backup');
  const newer = await aChangedCopy('newer', (text) =>
    text.replace('"0001-accounts"', '"0001-accounts","9999-future"'),
  );

  await expect(restore(nowhere(), other)).rejects.toThrow(/not a complete backup/);
  await expect(restore(nowhere(), newer)).rejects.toThrow(/newer version.*9999-future/);
});

it('is not restored over a database in use', async () => {
  const used = await createTestDatabase();
  await withOrm(used.url, (orm) =>
    orm.em
      .getConnection()
      .execute(`insert into account (user_id, display_name, password_hash) values ('a', 'A', 'x')`),
  );

  await expect(restore(used.url, backup)).rejects.toThrow(/is not empty/);
  await used.drop();
});

Logger.overrideLogger(false);
