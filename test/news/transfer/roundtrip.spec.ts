import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Pause } from '../../../src/common/pause.js';
import { ChannelBox } from '../../../src/news/reader/notices/channel-box.service.js';
import { ChannelsRepository } from '../../../src/news/reader/notices/channels.repository.js';
import { RestoreStarts } from '../../../src/news/transfer/restore-starts.task.js';
import { UpdateCycle } from '../../../src/news/updater/update-cycle.service.js';
import { ArchiveWork } from '../../../src/platform/transfer/archive-work.service.js';
import { RestoresService } from '../../../src/platform/transfer/restores.service.js';
import { ArchiveGone } from '../../../src/platform/transfer/transfer.errors.js';
import { accountAnswers } from '../../support/account-answers.js';
import { takeEverything } from '../../support/account-archive.js';
import { DavClient } from '../../support/dav-client.js';
import { rss } from '../../support/feed-server.js';
import { fillAccount } from '../../support/generated-account.js';
import { Random } from '../../support/histories/random.js';
import { Imports } from '../../support/imports.js';
import { histories } from '../../support/long.js';
import { NewsClient, ok, titles } from '../../support/news-client.js';
import { readerOf } from '../../support/reader-of.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestApp, TestUser } from '../../support/start-app.js';
import { PROCESS_SECONDS, until } from '../../support/until.js';

const { app: first, publisher } = await sharedService();
const { app: second } = await serviceAndPublisher({ GATEFOLD_IMPORT_ITEMS_PER_MINUTE: '0' });
// It waits for first fetches.
second.inside(Pause).forSeconds = () => delay(20);

/** Imports an archive, fetches its feeds meanwhile, and takes in the rest. @returns what was left out */
async function bringBack(app: TestApp, user: TestUser, archive: Buffer) {
  const imports = new Imports(new NewsClient(user, 'v1-3'));
  const read = await imports.read(archive);
  expect(read).toMatchObject({ format: 'gatefold', state: 'preview' });
  await imports.start(read.id);
  await imported(app, imports, read.id);
  return restored(app, user);
}

async function imported(app: TestApp, imports: Imports, importId: number): Promise<void> {
  await until(
    'the import of the archive',
    async () => {
      // Otherwise one second apart.
      await app.database.query(
        'update source_schedule set due_at = now() where lease_token is null',
      );
      await app.inside(UpdateCycle).fetchDue();
      return (await imports.one(importId)).state === 'done';
    },
    PROCESS_SECONDS,
  );
  await app.inside(RestoreStarts).begin();
}

async function restored(app: TestApp, user: TestUser) {
  const shown = () => app.inside(RestoresService).show(user.credentials.userId);
  await until('the end of the restore', async () => {
    const archive = await shown();
    if (archive?.state === 'failed') {
      throw new Error(String(archive.problem));
    }
    return archive?.state === 'done';
  });
  return (await shown())?.leftOut;
}

describe('An archive that is taken into another service', () => {
  it.each(Array.from({ length: histories(2, 40) }, (_, n) => n + 1))(
    'makes all APIs answer there as here, and adds nothing when it is taken in again (account %i)',
    async (seed) => {
      const user = await first.signIn();
      await fillAccount(user, publisher, new Random(seed));
      const archive = await takeEverything(user);
      const other = await second.signIn();
      await bringBack(second, other, archive);
      const here = await accountAnswers(first, user);
      const there = await accountAnswers(second, other);
      expect(there).toEqual(here);
      await bringBack(second, other, archive);
      expect(await accountAnswers(second, other)).toEqual(there);
    },
  );

  it('brings back notes and states of articles whose texts hold separators of lines', async () => {
    const user = await first.signIn();
    const news = new NewsClient(user, 'v1-3');
    const items = ['tide', 'storm'].map((title) => ({
      title,
      guid: `${title}\u2028one\u2029two`,
      body: '<p>The tide rose.</p>',
    }));
    publisher.publish('/separators.xml', rss({ title: 'Sea', link: publisher.url('/'), items }));
    await news.subscribe(publisher.url('/separators.xml'));
    const idOf = new Map((await news.items()).map(({ title, id }) => [title, id]));
    const highlight = {
      exact: 'tide',
      position: 4,
      colour: 'blue',
      note: 'one\u2028two\u2029three',
    };
    await ok(news.post(`/items/${idOf.get('tide')}/highlights`, highlight));
    await ok(news.post(`/items/${idOf.get('storm')}/read`));

    const other = await second.signIn();
    await bringBack(second, other, await takeEverything(user));

    const there = new NewsClient(other, 'v1-3');
    expect(await ok(there.get('/highlights'))).toMatchObject({
      highlights: [{ exact: 'tide', colour: 'blue', note: 'one\u2028two\u2029three' }],
    });
    expect(titles(await there.items({ getRead: false }))).toEqual(['tide']);
  });

  it('never overwrites files and preferences, and says so', async () => {
    const user = await first.signIn();
    await fillAccount(user, publisher, new Random(5));
    await new DavClient(user).put('/note.txt', 'of the archive');
    const archive = await takeEverything(user);
    const other = await second.signIn();
    await new DavClient(other).put('/note.txt', 'of here');
    await other.call('PATCH', '/ocs/v2.php/apps/gatefold/api/v1/preferences/reader', {
      json: { values: { layout: 'compact' } },
    });
    const leftOut = await bringBack(second, other, archive);
    expect((await new DavClient(other).call('GET', '/note.txt')).text).toBe('of here');
    expect(leftOut).toEqual(
      expect.arrayContaining([
        {
          reason: 'There is such a file already; it stays as it is.',
          count: 1,
          what: ['files/note.txt'],
        },
        expect.objectContaining({ what: ['preferences of "reader"'] }),
      ]),
    );
  });

  it.each(Array.from({ length: histories(1, 20) }, (_, n) => n + 11))(
    'goes on after its process was killed at any point, and ends the same (account %i)',
    async (seed) => {
      const random = new Random(seed);
      const user = await first.signIn();
      await fillAccount(user, publisher, random);
      const archive = await takeEverything(user);
      const other = await second.signIn();
      const work = second.inside(ArchiveWork);
      const read = work.read.bind(work);
      let left = 1 + random.below(8);
      // As after a kill: the work ends, and nobody is told that it failed.
      work.read = async function* (...given) {
        left -= 1;
        if (left < 0) {
          throw new ArchiveGone();
        }
        yield* read(...given);
      };
      const imports = new Imports(new NewsClient(other, 'v1-3'));
      const { id } = await imports.read(archive);
      await imports.start(id);
      await imported(second, imports, id);
      await until('the death of the process', () => left < 0);
      work.read = read;
      await second.database.query(
        `update account_archive set touched_at = now() - interval '2 minutes' where user_id = $1`,
        [other.credentials.userId],
      );
      await work.tend();
      await restored(second, other);
      expect(await accountAnswers(second, other)).toEqual(await accountAnswers(first, user));
    },
  );

  it('that is damaged or of another program is refused with a sentence', async () => {
    const user = await first.signIn();
    const archive = await takeEverything(user);
    const other = await second.signIn();
    const imports = new Imports(new NewsClient(other, 'v1-3'));
    const { status, text } = await imports.upload(archive.subarray(0, archive.length - 100));
    expect([status, text]).toEqual([422, expect.stringContaining('damaged or ends in the middle')]);
    expect(await ok(new NewsClient(other, 'v1-3').get('/imports'))).toEqual({ imports: [] });
  });

  it('brings channels with all that their services ask for', async () => {
    const user = await first.signIn();
    const address = {
      recipient: 'ada',
      secret: 'her password',
      clientId: '1_reader',
      clientSecret: 'of the reader',
    };
    const url = 'https://wallabag.example/';
    const channel = { kind: 'webhook', form: 'wallabag', address: url, ...address };
    await ok(new NewsClient(user, 'v1-3').post('/channels', channel));
    const archive = await takeEverything(user, { secrets: true });
    const other = await second.signIn();
    await bringBack(second, other, archive);

    const { id } = await readerOf(second, other.credentials.userId);
    const channels = await second.inside(ChannelsRepository).list(id);
    expect(channels.map((one) => second.inside(ChannelBox).open(one))).toEqual([
      expect.objectContaining({ url, ...address }),
    ]);
  });
});
