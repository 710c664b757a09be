import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Config } from '../../../src/common/config/config.js';
import { DiskSpace } from '../../../src/common/disk/disk-space.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { ArchiveWork } from '../../../src/platform/transfer/archive-work.service.js';
import { ArchivesRepository } from '../../../src/platform/transfer/archives.repository.js';
import { registerExportCommands } from '../../../src/platform/transfer/exports.commands.js';
import { TransferSettings } from '../../../src/platform/transfer/transfer.settings.js';
import {
  archiveShown,
  download,
  EXPORT,
  linesOf,
  readArchive,
  takeEverything,
  untilReady,
} from '../../support/account-archive.js';
import { ApiClient } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { Chatter } from '../../support/chatter.js';
import { DavClient } from '../../support/dav-client.js';
import { knowApp, startExternalApp } from '../../support/external-app.js';
import { rss } from '../../support/feed-server.js';
import { NewsClient, ok } from '../../support/news-client.js';
import { withOtherSettings } from '../../support/other-settings.js';
import { printedBy } from '../../support/printed-by.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';
import type { TestUser } from '../../support/start-app.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';

const { app, publisher } = await serviceAndPublisher();

/** A user with a starred, a labelled and a highlighted article, and one more of each other thing. */
async function aReader(): Promise<TestUser> {
  const user = await app.signIn();
  const client = new NewsClient(user, 'v1-3');
  const titles = ['Low & slack', 'High tide', 'Slack water', 'Storm'];
  const items = titles.map((title, n) => ({
    title,
    guid: `g${n}`,
    body: `<p>At ${n} o'clock</p>`,
  }));
  publisher.publish('/sea.xml', rss({ title: 'Sea & shore', link: publisher.url('/'), items }));
  const url = publisher.url('/sea.xml').replace('://', '://reader:secret@');
  const folder = await client.createFolder('Coast');
  await client.createFolder('Empty');
  const feed = await client.subscribe(url, folder.id);
  await ok(
    client.call('PATCH', `/feeds/${feed.id}`, { json: { pinned: true, fetchEveryHours: 6 } }),
  );
  const idOf = async (title: string) => (await client.item(title)).id;
  await ok(client.post(`/items/${await idOf('Low & slack')}/star`));
  await client.label([await idOf('High tide')], { add: ['Harbour'] });
  await ok(
    client.post(`/items/${await idOf('Slack water')}/highlights`, { exact: 'At 2', note: 'Early' }),
  );
  await ok(client.post(`/items/${await idOf('Storm')}/read`));
  await ok(client.post('/searches', { name: 'Tides', query: 'slack' }));
  await ok(client.post('/rules', { query: 'storm', actions: [{ type: 'read' }] }));
  await ok(
    client.post('/channels', {
      kind: 'webhook',
      form: 'slack',
      address: publisher.url('/hook-of-mine'),
    }),
  );
  await ok(
    client.post('/items', { title: 'A page', url: 'https://page.example/', body: '<p>Kept</p>' }),
  );
  return user;
}

const jsonOf = (texts: ReadonlyMap<string, string>, name: string) =>
  JSON.parse(texts.get(name) ?? '') as unknown;

describe('An archive of an account', () => {
  it('has what the user made of their feeds, in files that other readers know.', async () => {
    const user = await aReader();
    const { texts, manifest } = readArchive(await takeEverything(user));
    const feedUrl = publisher.url('/sea.xml');

    expect(texts.get('subscriptions.opml')).toContain(
      `xmlUrl="${feedUrl}" htmlUrl="${publisher.url('/')}" gatefold:title="publisher" gatefold:pinned="true" gatefold:fetchEveryHours="6"`,
    );
    expect(texts.get('subscriptions.opml')).toContain('<outline text="Empty"');
    expect(jsonOf(texts, 'starred.json')).toMatchObject({
      items: [
        {
          guid: 'g0',
          title: 'Low &amp; slack',
          categories: expect.arrayContaining([
            'user/-/state/com.google/starred',
            'user/-/state/com.google/unread',
          ]),
          content: { content: "<p>At 0 o'clock</p>" },
          origin: { feedUrl, title: 'Sea &amp; shore' },
        },
      ],
    });
    expect(jsonOf(texts, 'labelled.json')).toMatchObject({
      items: [{ guid: 'g1', categories: expect.arrayContaining(['user/-/label/Harbour']) }],
    });
    expect(jsonOf(texts, 'saved.json')).toMatchObject({
      items: [{ title: 'A page' }, { guid: 'g2' }],
    });
    expect(linesOf(texts.get('read.ndjson'))).toEqual(
      ['g0', 'g1', 'g2', 'g3'].map((guid) => ({
        feed: feedUrl,
        guid,
        unread: guid !== 'g3',
      })),
    );
    expect(jsonOf(texts, 'labels.json')).toEqual(['Harbour']);
    expect(linesOf(texts.get('highlights.ndjson'))).toEqual([
      expect.objectContaining({ feed: feedUrl, guid: 'g2', exact: 'At 2', note: 'Early' }),
    ]);
    expect(jsonOf(texts, 'searches.json')).toEqual([
      { name: 'Tides', query: 'slack', inClients: false },
    ]);
    expect(jsonOf(texts, 'rules.json')).toMatchObject({
      rules: [{ query: 'storm', actions: [{ type: 'read' }] }],
    });
    expect(manifest).toMatchObject({
      format: 'gatefold-account',
      version: 1,
      user: user.credentials.userId,
      counts: {
        feeds: 1,
        'starred articles': 1,
        'read states': 4,
        'highlights and notes': 1,
        rules: 1,
      },
    });
  });

  it('has the account, files with their times, and the conversations that the user sees.', async () => {
    const user = await app.signIn();
    const other = await app.signIn();
    const stranger = await app.signIn();
    const dav = new DavClient(user);
    await dav.call('MKCOL', '/Photos');
    await dav.put('/Photos/tide.txt', 'low');
    const group = await new Chatter(user).group('Harbour', other.credentials.userId);
    await new Chatter(other).say(group, 'Ahoy');
    const hidden = await new Chatter(other).group('Not theirs', stranger.credentials.userId);
    await new Chatter(other).say(hidden, 'A secret of others');
    await user.post('/ocs/v2.php/core/apppasswords', { name: 'My phone' });
    await user.call('PATCH', '/ocs/v2.php/apps/gatefold/api/v1/preferences/pages', {
      json: { values: { theme: 'dark' } },
    });

    const archive = await takeEverything(user);
    const { texts } = readArchive(archive);
    expect(texts.get('files/Photos/tide.txt')).toBe('low');
    expect(linesOf(texts.get(`chat/${group}.ndjson`))).toContainEqual(
      expect.objectContaining({ message: 'Ahoy' }),
    );
    expect(jsonOf(texts, 'account.json')).toMatchObject({
      user: user.credentials.userId,
      appPasswords: [{ name: 'My phone' }],
    });
    expect(linesOf(texts.get('audit.ndjson'))).toContainEqual(
      expect.objectContaining({ kind: 'account_exported' }),
    );
    expect(jsonOf(texts, 'preferences.json')).toMatchObject({ pages: { theme: 'dark' } });
    expect([...texts.values()].join()).not.toContain('A secret of others');
    expect([...texts.values()].join()).not.toContain(stranger.credentials.userId);
  });

  it('is without files by choice, and says so.', async () => {
    const user = await app.signIn();
    await new DavClient(user).put('/tide.txt', 'low');
    const { texts, manifest } = readArchive(await takeEverything(user, { files: false }));
    expect([...texts.keys()].filter((name) => name.startsWith('files/'))).toEqual([]);
    expect(manifest.leftOut).toContainEqual({
      what: 'files',
      reason: 'They were left out by choice.',
    });
  });

  it('has no passwords and tokens unless they are asked for.', async () => {
    const user = await aReader();
    const plain = readArchive(await takeEverything(user));
    expect([...plain.texts.values()].join()).not.toMatch(/secret@|hook-of-mine/);
    expect(plain.manifest.leftOut).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: 'passwords and cookies of feeds' }),
        expect.objectContaining({ what: 'addresses and tokens of notice channels' }),
      ]),
    );
    const whole = readArchive(await takeEverything(user, { secrets: true }));
    expect(whole.texts.get('subscriptions.opml')).toContain('reader:secret@');
    expect(whole.texts.get('notices.json')).toContain('hook-of-mine');
  });
});

describe('The making of an archive', () => {
  it('is taken up by another process when its own has ended.', async () => {
    const user = await app.signIn();
    const archives = app.inside(ArchivesRepository);
    const archiveId = await app.database.transaction((tx) =>
      archives.create(
        user.credentials.userId,
        { kind: 'export', withFiles: true, withSecrets: false },
        tx,
      ),
    );
    const dead = { archiveId, token: '6b1a7c52-3f0e-4c39-9a4e-0d6c4b9b7e11' };
    await archives.begin(dead);
    expect(await archives.addPiece(dead, 0, Buffer.from('half'), 1)).toBe(true);
    await app.database.query(
      `update account_archive set touched_at = now() - interval '2 minutes' where id = $1`,
      [archiveId],
    );
    await app.inside(ArchiveWork).tend();
    await untilReady(user);
    expect(await archives.addPiece(dead, 1, Buffer.from('late'), 2)).toBe(false);
    expect(await archives.complete(dead, new Date())).toBe(false);
    readArchive(await download(user));
  });

  it('belongs to one process until that is silent, however often its job is sent.', async () => {
    const user = await app.signIn();
    const archives = app.inside(ArchivesRepository);
    const wish = { kind: 'export', withFiles: true, withSecrets: false } as const;
    const archiveId = await app.database.transaction((tx) =>
      archives.create(user.credentials.userId, wish, tx),
    );
    const one = { archiveId, token: randomUUID() };
    const other = { archiveId, token: randomUUID() };
    /** Those that are taken when the archive was touched so long ago. */
    const takenAfter = (interval: string) =>
      app.database.transaction(async (tx) => {
        await tx.query(
          'update account_archive set touched_at = now() - $2::interval where id = $1',
          [archiveId, interval],
        );
        return archives.takeForsaken(tx);
      });
    expect(await takenAfter('2 minutes')).not.toContain(archiveId);
    expect(await takenAfter('7 hours')).toContain(archiveId);
    expect(await archives.begin(one)).toMatchObject({ attempts: 1 });
    expect(await archives.begin(other)).toBeNull();
    expect(await archives.touch(one)).toBe(true);
    expect(await takenAfter('1 minute')).not.toContain(archiveId);
    expect(await takenAfter('2 minutes')).toContain(archiveId);
    expect(await archives.touch(one)).toBe(false);
    expect(await archives.begin(other)).toMatchObject({ attempts: 2 });
    expect(await archives.begin(one)).toBeNull();
    expect((await user.delete(EXPORT)).status).toBe(200);
  });

  it('waits for its next attempt when one has failed.', async () => {
    const user = await app.signIn();
    const disk = app.inside(DiskSpace);
    const checkLow = disk.checkLow.bind(disk);
    disk.checkLow = async () => {
      throw new Error('The disk does not answer.');
    };
    await ok(user.post(EXPORT));
    await until('the end of the attempt', async () => {
      const [archive] = await app.database.query<{ state: string; attempts: number }>(
        'select state, attempts from account_archive where user_id = $1',
        [user.credentials.userId],
      );
      return archive?.attempts === 1 && archive.state === 'waiting';
    });
    disk.checkLow = checkLow;
    expect((await user.delete(EXPORT)).status).toBe(200);
  });

  it('ends with a sentence when one process after another was killed by it.', async () => {
    const user = await app.signIn();
    const { userId } = user.credentials;
    await takeEverything(user);
    await app.database.query(
      `update account_archive
          set state = 'working', attempts = 5, expires_at = null, touched_at = now() - interval '2 minutes',
              attempt = '6b1a7c52-3f0e-4c39-9a4e-0d6c4b9b7e11'
        where user_id = $1`,
      [userId],
    );
    await app.inside(ArchiveWork).tend();
    await expect(untilReady(user)).rejects.toThrow('An unexpected error ended it.');
  });

  it('ends with a sentence when the archive would be too large, or the disk is full.', async () => {
    const user = await app.signIn();
    await new DavClient(user).call('PUT', '/noise.zip', { body: randomBytes(1_200_000) });
    const small = { exportMib: 1 };
    await withOtherSettings(app.inside(TransferSettings), small, () =>
      expect(takeEverything(user)).rejects.toThrow(/larger than 1 MiB.*Leave out the files/),
    );
    expect((await user.get(`${EXPORT}/file`)).status).toBe(409);
    const disk = app.inside(DiskSpace);
    const checkLow = disk.checkLow.bind(disk);
    disk.checkLow = async () => true;
    await expect(takeEverything(user)).rejects.toThrow(/nearly full/);
    disk.checkLow = checkLow;
    readArchive(await takeEverything(user, { files: false }));
  });
});

describe('Strangers', () => {
  it('get no archive: it is downloaded with the credentials of its owner alone.', async () => {
    const user = await app.signIn();
    const other = await app.signIn();
    await takeEverything(user);
    expect((await other.get(`${EXPORT}/file`)).status).toBe(404);
    expect(await archiveShown(other)).toBeNull();
    expect((await other.delete(EXPORT)).status).toBe(404);
    for (const [method, place] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', ''],
      ['GET', '/file'],
    ] as const) {
      expect((await app.asStranger().call(method, EXPORT + place)).status).toBe(401);
    }
    expect(await archiveShown(user)).toMatchObject({ state: 'ready' });
  });

  it('get none with an app password for a part of the service, nor as an app of the user.', async () => {
    const user = await app.signIn();
    const { userId } = user.credentials;
    for (const scope of ['reader', 'files', 'reader-read']) {
      const { json } = await user.post('/ocs/v2.php/core/apppasswords?format=json', {
        name: scope,
        scope,
      });
      const { token } = (json as { ocs: { data: { token: string } } }).ocs.data;
      const program = new ApiClient(app.url, { userId, password: token });
      expect((await program.post(EXPORT)).status).toBe(403);
      expect((await program.get(`${EXPORT}/file`)).status).toBe(403);
    }
    const external = await startExternalApp(app, { appId: 'taker' });
    await knowApp(app, external);
    const asApp = external.as(userId);
    expect((await asApp.call('POST', EXPORT)).status).toBe(403);
    expect((await asApp.call('GET', `${EXPORT}/file`)).status).toBe(403);
    await external.close();
  });

  it('get no passwords from a session that was left open: they need a fresh proof.', async () => {
    const user = await app.signIn();
    const { userId } = user.credentials;
    const browser = new Browser(app.url);
    await browser.login(user.credentials);
    await app.database.query(
      `update login_session set created_at = created_at - interval '1 hour',
         proven_at = proven_at - interval '1 hour' where user_id = $1`,
      [userId],
    );
    const { json } = await browser.get('/csrftoken');
    const { token } = json as { token: string };
    const start = (secrets: boolean) =>
      browser.call('POST', EXPORT, { json: { secrets }, headers: { requesttoken: token } });
    expect((await start(true)).status).toBe(403);
    expect((await start(false)).status).toBe(200);
    await takeEverything(user, { secrets: true });
    expect((await browser.get(`${EXPORT}/file`)).status).toBe(403);
    const { json: made } = await user.post('/ocs/v2.php/core/apppasswords?format=json', {
      name: 'all',
    });
    const { token: password } = (made as { ocs: { data: { token: string } } }).ocs.data;
    const program = new ApiClient(app.url, { userId, password });
    expect((await program.post(EXPORT, { secrets: true })).status).toBe(403);
    expect((await program.get(`${EXPORT}/file`)).status).toBe(403);
  });
});

describe('An archive', () => {
  it('is kept for some days, one of each user, and goes with the account.', async () => {
    const user = await app.signIn();
    const { userId } = user.credentials;
    await takeEverything(user);
    await takeEverything(user, { files: false });
    const kept = () =>
      app.database.query(
        `select 1 from account_archive archive join account_archive_piece on archive_id = archive.id
          where user_id = $1`,
        [userId],
      );
    expect(await kept()).toHaveLength(1);
    await app.database.query(`update account_archive set expires_at = now() where user_id = $1`, [
      userId,
    ]);
    expect((await user.get(`${EXPORT}/file`)).status).toBe(404);
    expect(await archiveShown(user)).toBeNull();
    await app.inside(ArchiveWork).tend();
    expect(await kept()).toEqual([]);
    await takeEverything(user);
    expect((await user.delete(EXPORT)).status).toBe(200);
    expect(await kept()).toEqual([]);
    await takeEverything(user);
    await app.inside(UsersService).delete(userId);
    expect(await kept()).toEqual([]);
  });

  it('is made only so often a day.', async () => {
    const user = await app.signIn();
    const { limits } = app.inside(Config);
    await withOtherSettings(limits, { 'exports-per-user-and-day': 1 }, async () => {
      await takeEverything(user);
      const refused = await user.post(EXPORT);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.any(String)]);
      readArchive(await download(user));
    });
  });

  it('is written by the operator, and recorded.', async () => {
    const user = await aReader();
    const { userId } = user.credentials;
    const folder = await temporaryFolder('export');
    const file = path.join(folder, 'all.zip');
    const program = new Command().exitOverride();
    registerExportCommands(program, (work) => work((token) => app.inside(token)));
    expect(await printedBy(program, ['user:export', userId, file])).toContain(file);
    expect(await readdir(folder)).toEqual(['all.zip']);
    expect(readArchive(await readFile(file)).manifest).toMatchObject({
      user: userId,
      counts: { feeds: 1 },
    });
    await expect(printedBy(program, ['user:export', 'nobody', file])).rejects.toThrow(/no user/);
    const [event] = await app.database.query(
      `select kind, details from security_event where user_id = $1 and kind = 'account_exported'`,
      [userId],
    );
    expect(event).toEqual({ kind: 'account_exported', details: 'with files' });
  });
});
