import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { BackupContents } from '../../src/common/ports/backup-contents.js';
import { BackupReader } from '../../src/database/backup/backup-reader.js';
import { restoreBackup, type Restored } from '../../src/database/backup/restore-backup.js';
import { verifyBackup } from '../../src/database/backup/verify-backup.js';
import { writeBackup } from '../../src/database/backup/write-backup.js';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { JOB_SCHEMA } from '../../src/database/job-schema.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { seedItems } from '../../tools/bench/seed-items.js';
import { ApiClient } from '../support/api-client.js';
import { itLong } from '../support/long.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { createTestDatabase, dropDatabase, urlOfDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const ITEMS = '/index.php/apps/news/api/v1-3/items';

let folder: string;
let backup: string;
let app: TestApp;
let user: TestUser;
let rows: Record<string, number>;
/** See `contents`; when the backup was written. */
let saved: Record<string, string> | undefined;
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
  const orm = app.inside(MikroORM);
  const write = async () => {
    await rm(backup, { force: true });
    ({ rows } = await writeBackup(orm, backup));
  };
  await write();
  let before: unknown;
  // Until nothing changed meanwhile: the service notes its own state now and then.
  do {
    before = saved;
    await write();
    saved = await contents(orm);
  } while (!isDeepStrictEqual(saved, before));
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

/** @returns the address of a missing database, whose schema the restore creates, in seconds */
function nowhere(): string {
  const name = `gatefold_restored_${randomBytes(8).toString('hex')}`;
  databases.push(name);
  return urlOfDatabase(name);
}

/** @returns the address of a database without rows */
async function empty(): Promise<string> {
  const { url } = await createTestDatabase();
  databases.push(new URL(url).pathname.slice(1));
  return url;
}

async function withReader<Result>(
  file: string,
  work: (reader: BackupReader) => Promise<Result>,
): Promise<Result> {
  const reader = BackupReader.open(file);
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}

const restore = (url: string, file: string, replace = false): Promise<Restored> =>
  withReader(file, (reader) => withOrm(url, (orm) => restoreBackup(orm, reader, { replace })));

const verify = (file: string) => withReader(file, (reader) => verifyBackup(reader));

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

/** Every constraint, and every trigger with whether it fires; but those of partitions, which depend on the day. */
async function rules(orm: MikroORM): Promise<string[]> {
  const found = await orm.em.getConnection().execute<{ rule: string }[]>(
    `select format('%s %s: %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as rule
       from pg_constraint where connamespace::regnamespace::text in ('public', '${JOB_SCHEMA}')
        and conrelid::regclass::text !~ '_[0-9]{8}$'
     union all
     select format('%s %s: %s', tgrelid::regclass, tgname,
                   case tgenabled when 'D' then 'disabled' else 'enabled' end)
       from pg_trigger where not tgisinternal
     order by rule`,
  );
  return found.map(({ rule }) => rule);
}

async function aChangedCopy(name: string, change: (text: string) => string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, gzipSync(change(gunzipSync(await readFile(backup)).toString())));
  return file;
}

describe('restored into a missing database', () => {
  const url = nowhere();
  let restored: Restored;
  beforeAll(async () => {
    restored = await restore(url, backup);
  });

  it('has no connection of the restore left', async () => {
    const left = () =>
      app.database.query(
        "select from pg_stat_activity where datname = $1 and application_name = 'gatefold restore'",
        [new URL(url).pathname.slice(1)],
      );
    await until('the end of its connection', async () => (await left()).length === 0);

    expect(await left()).toEqual([]);
  });

  it('has every row of every table', async () => {
    expect(restored.rows).toEqual(rows);
    expect(restored.rows['public.item']).toBe(60);
    expect(restored.hasJobs).toBe(true);
    expect(await withOrm(url, contents)).toEqual(saved);
  });

  it('gives no id again that clients may have seen after the backup', async () => {
    const [folderIds] = await withOrm(url, (orm) =>
      orm.em
        .getConnection()
        .execute<{ last: number; next: number }[]>(
          `select (select max(id)::int from folder) as last, nextval('folder_id_seq')::int as next`,
        ),
    );

    expect(folderIds?.next).toBeGreaterThan((folderIds?.last ?? 0) + 999_999);
  });

  it('works, with references, triggers and sequences beyond the former ids', async () => {
    expect(await withOrm(url, rules)).toEqual(await rules(app.inside(MikroORM)));
    const before = (await user.get(ITEMS)).json as { items: { id: number }[] };

    await withOrm(url, (orm) =>
      orm.em.getConnection().execute('comment on table migration is null'),
    );
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
});

it('is a consistent snapshot while the service is running', async () => {
  const file = path.join(folder, 'busy.backup');
  const state = { isWritten: false };
  const writing = writeBackup(app.inside(MikroORM), file).finally(() => (state.isWritten = true));
  for (let n = 0; !state.isWritten; n++) {
    await user.post('/index.php/apps/news/api/v1-3/folders', { name: `busy ${n}` });
  }
  const { rows: written } = await writing;

  expect((await restore(await empty(), file)).rows).toEqual(written);
});

it('is readable only by its owner, and overwrites no file', async () => {
  expect((await stat(backup)).mode & 0o077).toBe(0);
  await expect(writeBackup(app.inside(MikroORM), backup)).rejects.toThrow(/EEXIST/);
});

it.each([2, 4])('of a file of 3 bytes that has %i when it is read is refused', async (read) => {
  const changed = path.join(folder, `changed-${read}.backup`);
  const contents: BackupContents = {
    place: 'the files',
    idsIn: () => Readable.from([['a file']]),
    open: async () => ({ bytes: 3, read: () => Readable.from([Buffer.alloc(read)]) }),
    take: async () => true,
    write: async () => {},
  };

  await expect(writeBackup(app.inside(MikroORM), changed, { contents })).rejects.toThrow(
    'The content a file in the files changed while it was read.',
  );
  await expect(stat(changed)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('that cannot be opened fails with the reason, not with that of a draft to remove', async () => {
  const nowhere = path.join(folder, 'none', 'a.backup');

  await expect(writeBackup(app.inside(MikroORM), nowhere)).rejects.toThrow(/^ENOENT.*, open /);
});

it('that is truncated is rejected, and leaves nothing behind', async () => {
  const cut = path.join(folder, 'cut.backup');
  const bytes = await readFile(backup);
  await writeFile(cut, bytes.subarray(0, bytes.length / 2));
  const url = await empty();

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

  await expect(restore(await empty(), lacking)).rejects.toThrow(/foreign key|not a complete/);
  await expect(verify(lacking)).rejects.toThrow(/not a complete/);
  await expect(verify(endless)).rejects.toThrow(/not a complete backup/);
});

it('that is another file, or of a newer version, is rejected', async () => {
  const other = path.join(folder, 'other');
  await writeFile(other, 'no backup');
  const newer = await aChangedCopy('newer', (text) =>
    text.replace('"0101-platform"', '"0101-platform","9999-future"'),
  );

  await expect(restore(nowhere(), other)).rejects.toThrow(/not a complete backup/);
  await expect(restore(nowhere(), newer)).rejects.toThrow(/newer version.*9999-future/);
});

/** Tables of migrations after the base. */
const SINCE = [
  'account_archive|account_archive_piece|apps_listening|article_story|article_tokens',
  'board|board_addition|board_digest|board_digest_refusal|board_entry|board_webhook',
  'early_reader|feed_out|group_folder|group_folder_editor|group_folder_feed',
  'group_folder_member|group_rule|imported_article|item_highlight|item_mark|news_import',
  'news_import_row|notice|notice_channel|notice_settings|process_sample|push_key|rule',
  'rule_effect|saved_search|story_key|story_signature',
].join('|');

/** Columns of migrations after the base. */
const COLUMNS_SINCE: Readonly<Record<string, readonly string[]>> = {
  'public.account': ['leave_asked_at', 'leaves_at', 'held_at', 'held_until'],
  'public.fetch_attempt': ['work_ms'],
  'public.folder': ['group_folder_id', 'given_name', 'kept_until'],
  'public.processing_task': ['older', 'older_id', 'called_app_id'],
  'public.reader': ['is_early', 'stories_once', 'early_until'],
  'public.reader_client': ['paging_until'],
  'public.source': ['tokens_rev', 'certificate_ends', 'certificate_told_at'],
  'public.subscription': ['always_shown', 'group_feed_id', 'is_mandatory', 'is_own', 'kept_until'],
};

function withoutLaterColumns(text: string): string {
  let kept: readonly boolean[] = [];
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('{"table":')) {
        const { table, columns } = JSON.parse(line) as { table: string; columns: string[] };
        const later = COLUMNS_SINCE[table] ?? [];
        kept = columns.map((column) => !later.includes(column));
        return JSON.stringify({ table, columns: columns.filter((_, n) => kept[n]) });
      }
      return kept.every(Boolean) || line === '\\.'
        ? line
        : line
            .split('\t')
            .filter((_, n) => kept[n])
            .join('\t');
    })
    .join('\n');
}

it('from before the base is restored if its schema is the same, and otherwise refused', async () => {
  const withMigrations = (name: string, names: readonly string[]) =>
    aChangedCopy(name, (text) =>
      withoutLaterColumns(text)
        .replace(/"migrations":\[[^\]]*\]/, `"migrations":${JSON.stringify(names)}`)
        .replaceAll(new RegExp(`\\{[^\\n{]*public\\.(?:${SINCE})"[^]*?\\n\\\\\\.\\n`, 'g'), '')
        .replaceAll(new RegExp(`"public\\.(?:${SINCE})":\\d+,?`, 'g'), ''),
    );
  const isOfThen = ([table]: [string, unknown]) =>
    !new RegExp(`^public\\.(?:${SINCE})$`).test(table);
  const rowsOfThen = Object.fromEntries(Object.entries(rows).filter(isOfThen));
  const last = await withMigrations('last', ['0001-accounts', '0076-what', '0077-manners']);
  const older = await withMigrations('older', ['0001-accounts', '0076-what']);

  expect((await restore(nowhere(), last)).rows).toEqual(rowsOfThen);
  expect((await restore(await empty(), last, true)).rows).toEqual(rowsOfThen);
  await expect(restore(nowhere(), older)).rejects.toThrow(/0076-what.*with commit 3d4de602/);
});

it('with jobs of another version is restored without them', async () => {
  const other = await aChangedCopy('other-jobs', (text) =>
    text.replace(/"jobSchema":\d+/, '"jobSchema":1'),
  );

  const restored = await restore(await empty(), other);

  expect(restored.hasJobs).toBe(false);
  expect(restored.rows).toEqual(
    Object.fromEntries(Object.entries(rows).filter(([table]) => table.startsWith('public.'))),
  );
});

it('is not restored over a database in use', async () => {
  const url = await empty();
  await withOrm(url, (orm) =>
    orm.em
      .getConnection()
      .execute(`insert into account (user_id, display_name, password_hash) values ('a', 'A', 'x')`),
  );

  await expect(restore(url, backup)).rejects.toThrow(/is not empty/);
});

it('replaces the rows of a database in use if told to, all or nothing', async () => {
  const url = await empty();
  await restore(url, backup);
  const before = await withOrm(url, contents);
  await withOrm(url, (orm) =>
    orm.em.getConnection().execute(`
      insert into account (user_id, display_name, password_hash) values ('late', 'Late', 'x');
      create table of_a_later_version (n int)`),
  );
  const cut = path.join(folder, 'cut-at-the-end.backup');
  const bytes = await readFile(backup);
  await writeFile(cut, bytes.subarray(0, bytes.length - 200));

  await expect(restore(url, cut, true)).rejects.toThrow(/not a complete/);
  const [late] = await withOrm(url, (orm) =>
    orm.em
      .getConnection()
      .execute<{ n: number }[]>(`select count(*)::int as n from account where user_id = 'late'`),
  );
  expect(late?.n).toBe(1);

  await restore(url, backup, true);
  expect(await withOrm(url, contents)).toEqual(before);
  const applied = await withOrm(url, (orm) =>
    orm.em.getConnection().execute<{ name: string }[]>('select name from migration'),
  );
  expect(applied).toHaveLength(new Set(applied.map(({ name }) => name)).size);
});

it('is verified to the last byte', async () => {
  const verified = await verify(backup);
  expect(verified.rows).toEqual(rows);
  expect(verified.end).toMatchObject({ contents: 0, missing: 0 });

  const changed = await aChangedCopy('changed', (text) => text.replace('Feed 1', 'Feed 7'));
  await expect(verify(changed)).rejects.toThrow(/damaged: its checksum/);
});

itLong('of the format before it can be restored', async () => {
  const before = await aChangedCopy('format-1', (text) =>
    text
      .replace('gatefold backup 2', 'gatefold backup 1')
      .slice(0, text.trimEnd().lastIndexOf('\n') + 1),
  );

  expect((await verify(before)).end).toBeNull();
  expect((await restore(await empty(), before)).rows).toEqual(rows);
});

Logger.overrideLogger(false);
