import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { Config } from '../../../src/common/config/config.js';
import { AccountTransferParts } from '../../../src/common/ports/account-transfer.js';
import { JobQueue } from '../../../src/database/jobs/job-queue.js';
import { RestoreStarts } from '../../../src/news/transfer/restore-starts.task.js';
import { ArchiveWork } from '../../../src/platform/transfer/archive-work.service.js';
import { ArchivesRepository } from '../../../src/platform/transfer/archives.repository.js';
import { RestoresService } from '../../../src/platform/transfer/restores.service.js';
import { takeEverything } from '../../support/account-archive.js';
import { rss } from '../../support/feed-server.js';
import { freshRss, Imports } from '../../support/imports.js';
import { NewsClient, ok } from '../../support/news-client.js';
import { withOtherSettings } from '../../support/other-settings.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';
import type { TestUser } from '../../support/start-app.js';
import { until } from '../../support/until.js';

const { app, publisher } = await serviceAndPublisher();

const PREFERENCES = '/ocs/v2.php/apps/gatefold/api/v1/preferences';

async function themeOf(user: TestUser): Promise<unknown> {
  const { json } = await user.get(`${PREFERENCES}?format=json`);
  type Answer = { ocs: { data: { pages: { values: { theme?: string } } } } };
  return (json as Answer).ocs.data.pages.values.theme;
}

/** The archive of a user who reads in the dark. */
async function anArchive(): Promise<Buffer> {
  const user = await app.signIn();
  await user.call('PATCH', `${PREFERENCES}/pages`, { json: { values: { theme: 'dark' } } });
  return takeEverything(user);
}

async function aNewcomer() {
  const user = await app.signIn();
  const { userId } = user.credentials;
  const imports = new Imports(new NewsClient(user, 'v1-3'));
  const shown = () => app.inside(RestoresService).show(userId);
  const setImport = (id: number, set: string) =>
    app.database.query(
      `update news_import set ${set}
        where id = $1 and reader_id = (select reader_id from reader_user where user_id = $2)`,
      [id, userId],
    );
  const setArchive = (set: string) =>
    app.database.query(`update account_archive set ${set} where user_id = $1 and kind = 'import'`, [
      userId,
    ]);
  const restored = () => until('the restore', async () => (await shown())?.state === 'done');
  return { user, userId, imports, shown, setImport, setArchive, restored };
}

const SILENT = `touched_at = now() - interval '2 minutes'`;
const OTHER_ATTEMPT = '6b1a7c52-3f0e-4c39-9a4e-0d6c4b9b7e11';

describe('An archive whose articles are imported', () => {
  it('does not expire meanwhile, however long that takes', async () => {
    const { user, imports, shown, setImport, setArchive, restored } = await aNewcomer();
    const { id } = await imports.read(await anArchive());
    await setImport(id, `state = 'running', started_at = now()`);
    await setArchive(`expires_at = now() + interval '1 second'`);
    await app.inside(RestoreStarts).begin();
    expect((await shown())?.expiresSeconds).toBeGreaterThan(Date.now() / 1000 + 80_000);
    await setImport(id, `state = 'done', ended_at = now()`);
    await app.inside(RestoreStarts).begin();
    await restored();
    expect(await themeOf(user)).toBe('dark');
  });

  it('is not replaced by another one, until it was taken in', async () => {
    const { imports, setImport, setArchive, restored } = await aNewcomer();
    const archive = await anArchive();
    await imports.read(archive);
    const { id } = await imports.read(archive);
    const refused = async () => {
      const { status, text } = await imports.upload(archive);
      expect([status, text]).toEqual([409, expect.stringContaining('Another import is under way')]);
    };
    await setImport(id, `state = 'running', started_at = now()`);
    await refused();
    expect((await imports.read(freshRss([{ title: 'One' }]))).state).toBe('preview');
    await setArchive(`state = 'waiting', expires_at = null`);
    await setImport(id, `state = 'done', ended_at = now()`);
    await refused();
    await setArchive(`state = 'working', attempt = '${OTHER_ATTEMPT}', ${SILENT}`);
    await refused();
    await app.inside(ArchiveWork).tend();
    await restored();
    expect((await imports.read(archive)).state).toBe('preview');
  });

  it('is the one that was uploaded for that import, not a later one that was forgotten', async () => {
    const { user, imports, shown, setImport } = await aNewcomer();
    const archive = await anArchive();
    const { id } = await imports.read(archive);
    await setImport(id, `state = 'cancelled', created_at = now() - interval '1 minute'`);
    const later = await imports.read(archive);
    await ok(imports.news.call('DELETE', `/imports/${later.id}`));
    await setImport(id, `state = 'done', ended_at = now() + interval '1 minute'`);
    await app.inside(RestoreStarts).begin();
    expect((await shown())?.state).toBe('ready');
    expect(await themeOf(user)).not.toBe('dark');
  });

  it('is not taken in when its upload was killed', async () => {
    const { user, userId, shown, setArchive } = await aNewcomer();
    const archives = app.inside(ArchivesRepository);
    const attempt = { archiveId: 0, token: OTHER_ATTEMPT };
    attempt.archiveId = await app.database.transaction((tx) =>
      archives.create(userId, { kind: 'import', withFiles: true, withSecrets: false }, tx, {
        askedSeconds: 1_700_000_000,
        expiresAt: new Date(Date.now() + 3_600_000),
      }),
    );
    await archives.begin(attempt);
    await archives.addPiece(attempt, 0, await anArchive(), 0);
    await setArchive(SILENT);
    expect(await app.database.transaction((tx) => archives.takeForsaken(tx))).not.toContain(
      attempt.archiveId,
    );
    expect(
      await archives.begin({ ...attempt, token: OTHER_ATTEMPT.replaceAll('7', '8') }),
    ).toBeNull();
    expect((await shown())?.state).toBe('working');
    expect(await themeOf(user)).not.toBe('dark');
  });
});

describe('The restore of an archive', () => {
  it('ends where another process has begun it, and is done by that one alone', async () => {
    const { user, userId, imports, shown, setArchive, restored } = await aNewcomer();
    const work = app.inside(ArchiveWork);
    const archives = app.inside(ArchivesRepository);
    const read = work.read.bind(work);
    const touch = archives.touch.bind(archives);
    let isReplaced = false;
    let isNoticed = false;
    work.read = async function* (...given) {
      if (!isReplaced && (await shown())?.state === 'working') {
        isReplaced = true;
        await setArchive(`attempt = '${OTHER_ATTEMPT}'`);
      }
      yield* read(...given);
    };
    archives.touch = async (attempt) => {
      const isOurs = await touch(attempt);
      isNoticed ||= isReplaced && !isOurs;
      return isOurs;
    };
    await imports.do(await anArchive());
    await app.inside(RestoreStarts).begin();
    await until('the end of its job', () => isNoticed && app.inside(JobQueue).underWay === 0);
    work.read = read;
    archives.touch = touch;
    expect((await shown())?.state).toBe('working');
    expect(await themeOf(user)).not.toBe('dark');
    await app.database.query(`update account_archive set ${SILENT} where user_id = $1`, [userId]);
    await work.tend();
    await restored();
    expect(await themeOf(user)).toBe('dark');
  });
});

interface GivenFile {
  readonly path: string;
  readonly mtimeSeconds: number;
  readonly text: string;
}

/** Takes in documents, files of lines and, as `files/`, files that nobody's export has written. @returns what was left out */
async function takeIn(user: TestUser, contents: Readonly<Record<string, unknown>>) {
  const leftOut: { what: string; reason: string }[] = [];
  const source = {
    async *files() {
      for (const { text, ...file } of (contents['files/'] ?? []) as readonly GivenFile[]) {
        yield {
          ...file,
          sizeBytes: text.length,
          open: async () => Readable.from([Buffer.from(text)]),
        };
      }
    },
    open: async () => null,
    json: async (path: string) => contents[path],
    async *lines(path: string) {
      yield (contents[path] as readonly unknown[] | undefined) ?? [];
    },
  };
  for (const part of app.inside(AccountTransferParts).imports) {
    await part(user.credentials.userId, source, (what, reason) => leftOut.push({ what, reason }));
  }
  return leftOut;
}

async function aReader() {
  const user = await app.signIn();
  const news = new NewsClient(user, 'v1-3');
  const path = `/${user.credentials.userId}.xml`;
  const items = ['Low', 'High'].map((title, n) => ({ title, guid: `g${n}`, body: '<p>Tide</p>' }));
  publisher.publish(path, rss({ title: 'Sea', link: publisher.url('/'), items }));
  const url = publisher.url(path);
  const feed = await news.subscribe(url);
  return { user, news, url, feed };
}

describe('The result of an import', () => {
  it('tells what of the archive was not taken, or why all of it failed', async () => {
    const { user, imports, shown, setArchive, restored } = await aNewcomer();
    await user.call('PATCH', `${PREFERENCES}/pages`, { json: { values: { theme: 'black' } } });
    const { id } = await imports.do(await anArchive());
    await app.inside(RestoreStarts).begin();
    await restored();
    const reason = 'You have chosen others here, which stay.';
    expect(await imports.one(id)).toMatchObject({
      rest: { state: 'done', problem: null },
      leftOut: [{ reason, count: 1 }],
      places: [{ place: 'preferences of "pages"', reason }],
    });
    await setArchive(
      `state = 'failed', problem = 'An unexpected error ended it.', left_out = '[]'`,
    );
    expect((await shown())?.state).toBe('failed');
    expect(await imports.one(id)).toMatchObject({
      rest: { state: 'failed', problem: 'An unexpected error ended it.' },
      leftOut: [],
    });
    expect((await imports.read(await anArchive())).rest).toBeNull();
  });

  it('tells of files that are here, but not of those that a killed attempt has brought', async () => {
    const user = await app.signIn();
    const file = (mtimeSeconds: number, text: string) => ({
      'files/': [{ path: 'files/Photos/tide.txt', mtimeSeconds, text }],
    });
    expect(await takeIn(user, file(1000, 'low'))).toEqual([]);
    expect(await takeIn(user, file(1000, 'low'))).toEqual([]);
    const told = [
      {
        what: 'files/Photos/tide.txt',
        reason: 'There is such a file already; it stays as it is.',
      },
    ];
    expect(await takeIn(user, file(2000, 'low'))).toEqual(told);
    expect(await takeIn(user, file(1000, 'high'))).toEqual(told);
  });
});

describe('What somebody wrote into an archive', () => {
  it('makes no highlights and notes beyond the limits of the account', async () => {
    const { user, news, url } = await aReader();
    const highlight = (guid: string, others: object) => ({
      feed: url,
      guid,
      exact: 'Tide',
      prefix: '',
      suffix: '',
      position: 0,
      colour: 'yellow',
      note: null,
      ...others,
    });
    const given = [
      highlight('g0', { prefix: 'p'.repeat(100), suffix: 's'.repeat(100), note: ' a\0b ' }),
      highlight('g0', { exact: 'x'.repeat(30), note: 'n'.repeat(30), position: 5 }),
      highlight('g0', { position: 2 ** 40 }),
      highlight('g0', { exact: ' ', note: ' ', position: 7 }),
      highlight('g0', { position: 8 }),
      highlight('g1', { exact: '', note: 'Of the article', position: 3 }),
      highlight('g1', { position: 9 }),
    ];
    const limits = {
      'characters-per-highlight': 10,
      'characters-per-note': 20,
      'highlights-per-item': 2,
      'highlights-per-user': 3,
    };
    const restore = () => takeIn(user, { 'highlights.ndjson': given });
    const here = async (title: string) => {
      const { id } = await news.item(title);
      const answer = await ok<{ highlights: object[] }>(news.get(`/items/${id}/highlights`));
      return answer.highlights;
    };
    await withOtherSettings(app.inside(Config).limits, limits, async () => {
      const leftOut = await restore();
      const low = await here('Low');
      expect(low).toMatchObject([
        { exact: 'Tide', prefix: 'p'.repeat(64), suffix: 's'.repeat(64), note: 'ab' },
        { exact: 'x'.repeat(10), note: 'n'.repeat(20) },
      ]);
      expect(low).toHaveLength(2);
      expect(await here('High')).toMatchObject([
        { exact: '', note: 'Of the article', position: -1 },
      ]);
      expect(leftOut.map(({ reason }) => reason)).toEqual([
        'They were longer than this installation allows.',
        'They were longer than this installation allows.',
        'This installation allows at most 2 highlights per item. Remove some first.',
        'This installation allows at most 3 highlights per user. Remove some first.',
      ]);
      await restore();
      expect(await here('Low')).toEqual(low);
    });
  });

  it('makes no folders beyond the limits, and one for each feed at most', async () => {
    const { user, news, url } = await aReader();
    const folders = async () => (await news.folders()).map(({ name }) => name);
    const ownFeed = (folder: string) => ({ url, title: 'Sea', folder, own: { pinned: 'true' } });
    const restore = (...names: string[]) =>
      takeIn(user, { 'reader.json': { ownFeeds: names.map(ownFeed) } });
    expect(await restore('n'.repeat(256))).toMatchObject([
      { what: 'settings of Sea', reason: expect.stringContaining('at most 255 characters') },
    ]);
    await withOtherSettings(app.inside(Config).limits, { 'folders-per-user': 0 }, async () => {
      expect(await restore('Coast')).toMatchObject([
        { what: 'settings of Sea', reason: expect.stringContaining('at most 0 folders per user') },
      ]);
    });
    expect(await folders()).toEqual([]);
    expect(await restore('Coast', 'Harbour', 'Shore')).toEqual([]);
    expect(await folders()).toEqual(['Coast']);
  });
});

describe('The settings of a feed', () => {
  it('are taken in with the exception from showing each story once', async () => {
    const { user, news, url, feed } = await aReader();
    const own = { alwaysshown: 'true' };
    await takeIn(user, { 'reader.json': { ownFeeds: [{ url, title: 'Sea', folder: null, own }] } });
    expect(await ok(news.get('/stories'))).toMatchObject({ alwaysShownFeeds: [feed.id] });
  });
});
