import { beforeEach, describe, expect, it } from '@jest/globals';
import { Config } from '../../src/common/config/config.js';
import { MembershipsService } from '../../src/news/group-folders/memberships.service.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { rss } from '../support/feed-server.js';
import { feverClientOf } from '../support/fever-client.js';
import { GoogleReaderClient } from '../support/google-reader-client.js';
import { givenTo, Groups } from '../support/group-folders.js';
import { LEVELS, NewsClient, ok, titles } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

/*
 * Folders of groups: what their members have, what they may do with it, and what stays when they leave.
 */

const { app, publisher } = await serviceAndPublisher();
const groups = new Groups(app);
let ada: TestUser;
let news: NewsClient;
let group: string;
let userId: string;
let specs = 0;

beforeEach(async () => {
  specs += 1;
  ada = await app.signIn();
  ({ userId } = ada.credentials);
  news = new NewsClient(ada, 'v1-3');
  group = `communications-${specs}`;
  await groups.create(group, `Communications ${specs}`);
});

function publish(name: string, ...entries: string[]): string {
  const items = entries.map((title) => ({ title, guid: title, body: `about ${title}` }));
  publisher.publish(`/${specs}/${name}`, rss({ title: name, items }));
  return publisher.url(`/${specs}/${name}`);
}

async function pressOf(...feeds: (readonly [string, object])[]): Promise<number> {
  const folder = await groups.createFolder(group, 'Press');
  for (const [url, more] of feeds) {
    await groups.add(folder, url, more);
  }
  return folder;
}

/** A feed for requests with these credentials alone. */
function publishProtected(name: string, userName: string, password: string): string {
  const url = publish(name, `${name} of a paper`);
  const document = rss({ title: name, items: [{ title: `${name} of a paper` }] });
  const sent = Buffer.from(`${userName}:${password}`).toString('base64');
  publisher.publish(`/${specs}/${name}`, document, { authorization: `Basic ${sent}` });
  return url;
}

const feedTitles = async (client = news) =>
  (await client.feedList()).feeds.map(({ title }) => title);
const folderNames = async (client = news) => (await client.folders()).map(({ name }) => name);

/** Without a client of theirs. */
const inTheBackground = () =>
  app.inside(MembershipsService).bringAllUpToDate(new AbortController().signal);

describe('a member of a group', () => {
  it.each(LEVELS)('has its folder and feeds with the next synchronisation at %s', async (level) => {
    await pressOf([publish('tides', 'Low at six'), { mandatory: true }]);
    const client = new NewsClient(ada, level);
    expect(await folderNames(client)).toEqual([]);

    await groups.enter(group, userId);

    const [folder] = await client.folders();
    expect(folder?.name).toBe('Press');
    const { feeds } = await client.feedList();
    expect(feeds).toMatchObject([{ title: 'tides', folderId: folder?.id, unreadCount: 1 }]);
    expect(titles(await client.items())).toEqual(['Low at six']);
  });

  it('loses them with the group, and nobody else has them', async () => {
    await pressOf([publish('tides', 'Low at six'), {}]);
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    await groups.enter(group, userId);
    expect(await feedTitles()).toEqual(['tides']);

    await groups.leave(group, userId);

    expect(await folderNames()).toEqual([]);
    expect(await feedTitles()).toEqual([]);
    expect(await news.items()).toEqual([]);
    expect(await feedTitles(stranger)).toEqual([]);
  });

  it('finds the same ids and marks on coming back', async () => {
    await pressOf([publish('tides', 'Low at six', 'High at noon'), {}]);
    await groups.enter(group, userId);
    const before = await news.feedList();
    const [folder] = await news.folders();
    await ok(news.post(`/items/${(await news.item('Low at six')).id}/read`));
    const items = await news.items();

    await groups.leave(group, userId);
    expect((await news.feedList()).feeds).toEqual([]);
    await groups.enter(group, userId);

    expect(await news.folders()).toEqual([folder]);
    const after = await news.feedList();
    expect(after.feeds.map(({ id }) => id)).toEqual(before.feeds.map(({ id }) => id));
    const states = (list: typeof items) => list.map(({ id, unread }) => [id, unread]);
    expect(states(await news.items())).toEqual(states(items));
  });

  it('keeps what was starred or labelled in a feed of their own, with its ids, until coming back', async () => {
    await pressOf([publish('tides', 'Low at six', 'High at noon', 'Ebb'), {}]);
    await groups.enter(group, userId);
    const starred = await news.item('Low at six');
    const labelled = await news.item('Ebb');
    await ok(news.post(`/items/${starred.id}/star`));
    await news.label([labelled.id], { add: ['Harbour'] });
    const [tides] = (await news.feedList()).feeds;

    await groups.leave(group, userId);

    const { feeds, starredCount } = await news.feedList();
    expect(feeds).toMatchObject([{ title: 'From Press', folderId: null, unreadCount: 2 }]);
    expect(starredCount).toBe(1);
    const kept = await news.items();
    expect(kept.map(({ id, feedId }) => [id, feedId]).toSorted()).toEqual(
      [starred.id, labelled.id].map((id) => [id, feeds[0]?.id]).toSorted(),
    );

    await groups.enter(group, userId);

    const back = await news.feedList();
    expect(back.feeds).toMatchObject([{ id: tides?.id, title: 'tides', unreadCount: 3 }]);
    expect(back.starredCount).toBe(1);
    expect(await news.items()).toHaveLength(3);
  });
});

describe('a feed that a member follows already', () => {
  it('stays where it is, once, and stays when the member leaves', async () => {
    const url = publish('tides', 'Low at six');
    const own = await news.createFolder('Sea');
    const { id } = await news.subscribe(url, own.id);
    await pressOf([url, {}]);
    await groups.enter(group, userId);

    expect((await news.feedList()).feeds).toMatchObject([{ id, folderId: own.id }]);
    expect(await givenTo(news)).toMatchObject([{ feedId: id, own: true, hidden: false }]);

    await groups.leave(group, userId);

    expect((await news.feedList()).feeds).toMatchObject([{ id, folderId: own.id, unreadCount: 1 }]);
    expect(await givenTo(news)).toEqual([]);
  });
});

describe('a client', () => {
  it('may rename what is mandatory, but neither move nor remove it', async () => {
    await pressOf([publish('tides', 'Low at six'), { mandatory: true }]);
    await groups.enter(group, userId);
    const sea = await news.createFolder('Sea');
    const [feed] = (await news.feedList()).feeds;
    const [press] = await news.folders();

    await ok(news.post(`/feeds/${feed?.id}/rename`, { feedTitle: 'My tides' }));
    const refused = [
      await news.post(`/feeds/${feed?.id}/move`, { folderId: sea.id }),
      await news.delete(`/feeds/${feed?.id}`),
      await news.delete(`/folders/${press?.id}`),
    ];

    const sentence =
      'Everybody in a group has the feed "My tides". It can be renamed, but neither moved nor removed.';
    expect(refused.map(({ status, json }) => [status, json])).toEqual([
      [403, { message: sentence }],
      [403, { message: sentence }],
      [
        403,
        {
          message:
            'The folder "Press" has feeds that everybody in a group has. It cannot be removed.',
        },
      ],
    ]);
    expect(await feedTitles()).toEqual(['My tides']);
  });

  it('hides what is recommended, also when the list is renewed, and shows it again with its marks', async () => {
    const tides = publish('tides', 'Low at six');
    const folder = await pressOf([tides, {}]);
    await groups.enter(group, userId);
    const [feed] = (await news.feedList()).feeds;

    await ok(news.delete(`/feeds/${feed?.id}`));
    expect(await feedTitles()).toEqual([]);
    await groups.add(folder, publish('storms', 'Gale'));
    expect(await feedTitles()).toEqual(['storms']);
    expect(await givenTo(news)).toMatchObject([
      { title: 'storms', hidden: false },
      { title: 'tides', hidden: true },
    ]);
    await app.inside(UpdateCycle).beforeUpdate();

    await ok(news.post(`/feeds/${feed?.id}/restore`));
    expect((await news.feedList()).feeds.map(({ id, title }) => [id, title])).toContainEqual([
      feed?.id,
      'tides',
    ]);
  });

  it('that removes a folder feed by feed, and then the folder, does no harm', async () => {
    await pressOf(
      [publish('tides', 'Low at six'), { mandatory: true }],
      [publish('storms', 'Gale'), {}],
    );
    await groups.enter(group, userId);
    const { feeds } = await news.feedList();
    const [press] = await news.folders();

    const statuses = [];
    for (const { id } of feeds) {
      statuses.push((await news.delete(`/feeds/${id}`)).status);
    }
    statuses.push((await news.delete(`/folders/${press?.id}`)).status);

    expect(statuses.toSorted()).toEqual([200, 403, 403]);
    expect(await feedTitles()).toEqual(['tides']);
    expect(await news.folders()).toEqual([press]);
  });

  it('removes a folder of recommended feeds, which is back with the next feed of the group', async () => {
    const folder = await pressOf([publish('tides', 'Low at six'), {}]);
    await groups.enter(group, userId);
    const [press] = await news.folders();

    await ok(news.delete(`/folders/${press?.id}`));
    expect([await folderNames(), await feedTitles()]).toEqual([[], []]);

    await groups.add(folder, publish('storms', 'Gale'));
    expect(await feedTitles()).toEqual(['storms']);
    expect(await news.folders()).toEqual([press]);
  });

  it('puts no feed of its own into the folder of a group', async () => {
    await pressOf();
    await groups.enter(group, userId);
    const [press] = await news.folders();
    const own = await news.subscribe(publish('own', 'Mine'));

    const added = await news.post('/feeds', { url: publish('more', 'Mine'), folderId: press?.id });
    const moved = await news.post(`/feeds/${own.id}/move`, { folderId: press?.id });

    expect([added.status, moved.status]).toEqual([403, 403]);
    expect(added.json).toEqual({
      message: '"Press" is a folder of a group, whose editors decide which feeds are in it.',
    });
  });

  it('that moves a recommended feed out has it as its own', async () => {
    await pressOf([publish('tides', 'Low at six'), {}]);
    await groups.enter(group, userId);
    const [feed] = (await news.feedList()).feeds;

    await ok(news.post(`/feeds/${feed?.id}/move`, { folderId: null }));
    await groups.leave(group, userId);

    expect((await news.feedList()).feeds).toMatchObject([{ id: feed?.id, folderId: null }]);
  });
});

describe('the names of folders', () => {
  it('are not those of the reader, and follow the group unless the reader renamed them', async () => {
    await news.createFolder('Press');
    const folder = await pressOf();
    await groups.enter(group, userId);
    expect(await folderNames()).toEqual(['Press', `Press (Communications ${specs})`]);

    await ok(groups.news.put(`/group-folders/${folder}`, { name: 'News' }));
    expect(await folderNames()).toEqual(['News', 'Press']);

    const [press] = await news.folders();
    await ok(news.put(`/folders/${press?.id}`, { name: 'Mine' }));
    await ok(groups.news.put(`/group-folders/${folder}`, { name: 'Latest' }));
    expect(await folderNames()).toEqual(['Mine', 'Press']);
  });
});

describe('a group that is deleted', () => {
  it('takes its folders along, and another of its name has none of them', async () => {
    await pressOf([publish('tides', 'Low at six'), {}]);
    await groups.enter(group, userId);
    expect(await folderNames()).toEqual(['Press']);

    await groups.remove(group);
    expect([await folderNames(), await feedTitles()]).toEqual([[], []]);
    await groups.create(group);
    await groups.enter(group, userId);

    expect(await folderNames()).toEqual([]);
    const left = await app.database.query('select 1 from group_folder where group_id = $1', [
      group,
    ]);
    expect(left).toEqual([]);
    const [deleted] = await app.database.query(
      "select details from security_event where kind = 'group_deleted' and subject_id = $1",
      [group],
    );
    expect(deleted).toEqual({ details: 'with folders of feeds: Press' });
  });
});

describe('in the background', () => {
  it('those who left lose what is not theirs, and idle members get nothing', async () => {
    await pressOf([publish('tides', 'Low at six'), {}]);
    await groups.enter(group, userId);
    await feedTitles();
    const idle = await app.signIn();
    await groups.enter(group, idle.credentials.userId);
    await groups.leave(group, userId);

    await inTheBackground();

    const given = await app.database.query(
      'select user_id from group_folder_member where user_id = any($1::text[])',
      [[userId, idle.credentials.userId]],
    );
    expect(given).toEqual([]);
    const rows = await app.database.query(
      `select deleted_at is not null as gone from subscription s
         join reader on reader.id = s.reader_id where reader.user_id = any($1::text[])`,
      [[userId, idle.credentials.userId]],
    );
    expect(rows).toEqual([{ gone: true }]);
  });

  it('work without an end is continued by the next job', async () => {
    await pressOf([publish('tides', 'Low at six'), {}]);
    await groups.enter(group, userId);
    await feedTitles();
    await groups.leave(group, userId);
    const memberships = app.inside(MembershipsService);
    const { workMs } = memberships;

    const given = () =>
      app.database.query('select from group_folder_member where user_id = $1', [userId]);

    memberships.workMs = 0;
    await inTheBackground();
    expect(await given()).toHaveLength(1);
    memberships.workMs = workMs;

    await until('the end of the work', async () => (await given()).length === 0);
  });

  it('a member whose client looks on gets what is new', async () => {
    await pressOf([publish('tides', 'Low at six'), {}]);
    await app.inside(ReadersRepository).watch(await readerOf(app, userId), 60);
    await groups.enter(group, userId);

    await inTheBackground();

    const rows = await app.database.query(
      `select s.is_own as "isOwn" from subscription s join reader on reader.id = s.reader_id
        where reader.user_id = $1`,
      [userId],
    );
    expect(rows).toEqual([{ isOwn: false }]);
  });
});

describe('the credentials of a group', () => {
  it('are sent to the publisher, and shown to nobody: not in answers, files or the tables', async () => {
    const url = publishProtected('paper', 'desk', 'tide-table');
    const withPassword = url.replace('http://', 'http://desk:tide-table@');
    const folder = await groups.createFolder(group, 'Press');
    const id = await groups.add(folder, withPassword).then(() => groups.folder(folder));
    expect(id.feeds).toMatchObject([{ url, hasCredentials: true, mandatory: false }]);
    await groups.enter(group, userId);
    expect(titles(await news.items())).toEqual(['paper of a paper']);
    const [feed] = (await news.feedList()).feeds;

    const shown = [
      await groups.news.get('/group-folders'),
      await news.get('/group-folders/given'),
      await news.get('/feeds'),
      await news.get(`/feeds/${feed?.id}/fetching`),
      await news.get('/opml/export'),
      await app.asAdmin().get('/ocs/v2.php/apps/gatefold/api/v1/security/events?format=json'),
    ];

    expect(shown.map(({ status }) => status)).toEqual(shown.map(() => 200));
    expect(shown.map(({ text }) => /tide-table|desk/.test(text))).toEqual(shown.map(() => false));
    expect(shown[3]?.json).toMatchObject({ url, hasPassword: false, userAgent: '' });
    expect(shown[4]?.text).toContain(`xmlUrl="${url}"`);
    expect(shown[4]?.text).toContain('gatefold:given="recommended"');
    const stored = await app.database.query(
      `select 1 from source where url like '%tide-table%'
        union all select 1 from subscription where url like '%tide-table%'
        union all select 1 from group_folder_feed where url like '%tide-table%'`,
    );
    expect(stored).toEqual([]);
  });

  it('are not inherited by moving, changing or following the feed', async () => {
    const url = publishProtected('paper', 'desk', 'tide-table');
    await pressOf([url, { access: { userName: 'desk', password: 'tide-table' } }]);
    await groups.enter(group, userId);
    const [feed] = (await news.feedList()).feeds;
    const stranger = new NewsClient(await app.signIn(), 'v1-3');

    const answers = [
      await news.post(`/feeds/${feed?.id}/move`, { folderId: null }),
      await news.call('PATCH', `/feeds/${feed?.id}`, { json: { url: `${url}?other` } }),
      await news.call('PATCH', `/feeds/${feed?.id}`, { json: { access: { cookie: 'a=b' } } }),
      await stranger.post('/feeds', { url }),
    ];
    await groups.leave(group, userId);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 422]);
    expect(await feedTitles()).toEqual([]);
  });

  it('are not sent for what the group took back, and are again, with the same ids, when it gives it', async () => {
    const url = publishProtected('paper', 'desk', 'tide-table');
    const access = { userName: 'desk', password: 'tide-table' };
    const folder = await groups.createFolder(group, 'Press');
    const id = await groups.add(folder, url, { access });
    await groups.enter(group, userId);
    const before = await news.items();
    expect(titles(before)).toEqual(['paper of a paper']);
    const asked = () => publisher.requests(`/${specs}/paper`).length;
    const fetchDue = async () => {
      await app.database.query('update source_schedule set due_at = now()');
      await app.inside(UpdateCycle).fetchDue();
    };

    await groups.take(folder, id);
    expect(await feedTitles()).toEqual([]);
    const requests = asked();
    await fetchDue();
    expect(asked()).toBe(requests);

    await groups.add(folder, url, { access });
    expect(await news.items()).toMatchObject(before.map(({ id, feedId }) => ({ id, feedId })));
    const again = asked();
    await fetchDue();
    expect(asked()).toBeGreaterThan(again);
  });

  it('are changed with all ids as they were, and only to ones that the publisher takes', async () => {
    const url = publishProtected('paper', 'desk', 'tide-table');
    const access = { userName: 'desk', password: 'tide-table' };
    const folder = await groups.createFolder(group, 'Press');
    const id = await groups.add(folder, url, { access });
    await groups.enter(group, userId);
    const before = await news.feedList();
    publishProtected('paper', 'desk', 'new moon');

    const change = (password: string) =>
      groups.news.call('PATCH', `/group-folders/${folder}/feeds/${id}`, {
        json: { access: { userName: 'desk', password } },
      });
    const refused = await change('guessed');
    const accepted = await change('new moon');

    expect([refused.status, accepted.status]).toEqual([422, 200]);
    const [feed] = (await groups.folder(folder)).feeds;
    expect(feed).toMatchObject({ id, hasCredentials: true, updateErrorCount: 0 });
    expect((await news.feedList()).feeds.map(({ id }) => id)).toEqual(
      before.feeds.map(({ id }) => id),
    );
  });
});

describe('the credentials of a feed that a folder has', () => {
  it('stay what they are when others are refused, and when the feed is added again', async () => {
    const url = publishProtected('paper', 'desk', 'tide-table');
    const folder = await groups.createFolder(group, 'Press');
    const id = await groups.add(folder, url, {
      access: { userName: 'desk', password: 'tide-table' },
    });
    const sealed = () =>
      app.database.query(
        `select access, certificate_ends from source
           join group_folder_feed feed on feed.source_id = source.id where feed.id = $1`,
        [id],
      );
    const before = await sealed();
    const accessOf = (password: string) => ({ access: { userName: 'desk', password } });
    const add = (password: string) =>
      groups.news.post(`/group-folders/${folder}/feeds`, { url, ...accessOf(password) });
    const feed = `/group-folders/${folder}/feeds/${id}`;

    const edited = await groups.news.call('PATCH', feed, { json: accessOf('guessed') });
    expect([edited.status, await sealed()]).toEqual([422, before]);
    expect([(await add('guessed')).status, await sealed()]).toEqual([409, before]);
    publishProtected('paper', 'desk', 'new moon');
    expect([(await add('new moon')).status, await sealed()]).toEqual([409, before]);
  });

  it('stay also while it is taken out, until it is added with ones that the publisher takes', async () => {
    const url = publishProtected('paper', 'desk', 'tide-table');
    const access = { userName: 'desk', password: 'tide-table' };
    const folder = await groups.createFolder(group, 'Press');
    const id = await groups.add(folder, url, { access });
    const [{ sourceId } = { sourceId: 0 }] = await app.database.query<{ sourceId: number }>(
      'select source_id as "sourceId" from group_folder_feed where id = $1',
      [id],
    );
    const sealed = () => app.database.query('select access from source where id = $1', [sourceId]);
    const before = await sealed();
    await groups.take(folder, id);

    const wrong = { access: { ...access, password: 'guessed' } };
    const refused = await groups.news.post(`/group-folders/${folder}/feeds`, { url, ...wrong });

    expect([refused.status, await sealed()]).toEqual([422, before]);
    publishProtected('paper', 'desk', 'new moon');
    await groups.add(folder, url, { access: { ...access, password: 'new moon' } });
    expect(await sealed()).not.toEqual(before);
  });
});

describe('an editor', () => {
  it('changes the folder as long as it is a member, and no other', async () => {
    const folder = await pressOf();
    const other = await groups.createFolder(group, 'Minutes');
    const stranger = await app.signIn();
    const outsider = new NewsClient(stranger, 'v1-3');
    await groups.enter(group, userId);
    const editors = `/admin/group-folders/${folder}/editors`;
    const url = publish('tides', 'Low at six');
    const add = (client: NewsClient, id: number) =>
      client.post(`/group-folders/${id}/feeds`, { url });

    expect((await add(news, folder)).status).toBe(404);
    const noMember = await groups.news.put(editors, { editors: [stranger.credentials.userId] });
    await ok(groups.news.put(editors, { editors: [userId] }));

    expect(noMember.status).toBe(422);
    expect((await add(news, folder)).status).toBe(200);
    expect((await add(news, folder)).status).toBe(409);
    expect((await add(news, other)).status).toBe(404);
    expect((await add(outsider, folder)).status).toBe(404);
    expect((await news.put(editors, { editors: [] })).status).toBe(403);
    expect(await feedTitles()).toEqual(['tides']);

    await groups.leave(group, userId);
    expect((await news.get('/group-folders')).json).toEqual({ groupFolders: [] });
    expect((await add(news, folder)).status).toBe(404);
  });

  it('adds the feeds of a file, which members get unfetched, but none with credentials', async () => {
    const folder = await pressOf();
    await groups.enter(group, userId);
    const url = publish('tides', 'Low at six');
    const outlines = [url, url, url.replace('http://', 'http://desk:secret@'), 'nothing']
      .map((xmlUrl) => `<outline type="rss" text="Tides" xmlUrl="${xmlUrl}"/>`)
      .join('');
    const answer = await groups.news.call('POST', `/group-folders/${folder}/opml`, {
      body: `<opml version="2.0"><body>${outlines}</body></opml>`,
      headers: { 'content-type': 'text/x-opml' },
      query: { mandatory: 'true' },
    });

    expect(answer.json).toMatchObject({ added: 1, alreadyThere: 1 });
    expect(answer.text).not.toContain('secret');
    expect((answer.json as { refused: unknown[] }).refused).toHaveLength(2);
    expect((await news.feedList()).feeds).toMatchObject([{ url, title: '127.0.0.1' }]);
    expect(await givenTo(news)).toMatchObject([{ mandatory: true }]);
  });

  it('adds no source of a file with more feeds than a folder may have', async () => {
    const folder = await pressOf();
    const { limits } = app.inside(Config);
    const before = { ...limits };
    const outlines = ['a', 'b', 'c'].map((name) => {
      const xmlUrl = publisher.url(`/${specs}/${name}`);
      return `<outline type="rss" text="${name}" xmlUrl="${xmlUrl}"/>`;
    });
    Object.assign(limits, { 'feeds-per-group-folder': 2 });

    const answer = await groups.news.call('POST', `/group-folders/${folder}/opml`, {
      body: `<opml version="2.0"><body>${outlines.join('')}</body></opml>`,
      headers: { 'content-type': 'text/x-opml' },
    });
    Object.assign(limits, before);

    expect(answer.status).toBe(422);
    expect((answer.json as { message: string }).message).toContain(
      'at most 2 feeds per group folder',
    );
    const created = await app.database.query('select 1 from source where url like $1', [
      `${publisher.url(`/${specs}/`)}%`,
    ]);
    expect(created).toEqual([]);
  });

  it('and each change of the folder is in the audit log', async () => {
    const folder = await pressOf([publish('tides', 'Low at six'), {}]);
    const [tides] = (await groups.folder(folder)).feeds;
    await groups.edit(folder, tides?.id ?? 0, { mandatory: true });
    await groups.take(folder, tides?.id ?? 0);
    await groups.removeFolder(folder);

    const rows = await app.database.query<{ details: string }>(
      "select details from security_event where kind = 'group_changed' and subject_id = $1 order by id",
      [group],
    );
    const address = publisher.url(`/${specs}/tides`);
    expect(rows.map(({ details }) => details)).toEqual([
      'folder "Press" created',
      `folder "Press": added ${address}`,
      `folder "Press": ${address} is mandatory`,
      `folder "Press": removed ${address}`,
      'folder "Press" removed',
    ]);
  });
});

describe('the limits', () => {
  it('of folders, feeds and editors are refused with sentences, and given feeds are not the own', async () => {
    const { limits } = app.inside(Config);
    const before = { ...limits };
    const folder = await pressOf([publish('tides', 'Low at six'), {}]);
    const url = publish('storms', 'Gale');
    await groups.enter(group, userId);
    await feedTitles();
    Object.assign(limits, {
      'folders-per-group': 1,
      'feeds-per-group-folder': 1,
      'editors-per-group-folder': 0,
      'feeds-per-user': 1,
      'folders-per-user': 1,
    });

    const answers = [
      await groups.news.post('/admin/group-folders', { groupId: group, name: 'More' }),
      await groups.news.post(`/group-folders/${folder}/feeds`, { url }),
      await groups.news.put(`/admin/group-folders/${folder}/editors`, { editors: [userId] }),
      await news.post('/feeds', { url }),
      await news.post('/folders', { name: 'Sea' }),
    ];
    Object.assign(limits, before);

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 200, 200]);
    expect(answers[1]?.json).toEqual({
      message: 'This installation allows at most 1 feeds per group folder. Remove some first.',
    });
  });
});

describe('other protocols', () => {
  it('Google Reader has the folder as a label, refuses with the sentence, and hides what is recommended', async () => {
    await pressOf(
      [publish('tides', 'Low at six'), { mandatory: true }],
      [publish('storms', 'Gale'), {}],
    );
    await groups.enter(group, userId);
    const reader = await GoogleReaderClient.of(ada);
    const list = async () =>
      (await reader.get('subscription/list')).json as {
        subscriptions: { id: string; title: string; categories: { label: string }[] }[];
      };
    const { subscriptions } = await list();
    expect(subscriptions.map(({ title, categories }) => [title, categories[0]?.label])).toEqual([
      ['storms', 'Press'],
      ['tides', 'Press'],
    ]);
    const [storms, tides] = subscriptions;

    const edit = (fields: Record<string, string>) =>
      reader.post('subscription/edit', Object.entries(fields));
    const answers = [
      await edit({ ac: 'unsubscribe', s: tides?.id ?? '' }),
      await edit({ ac: 'edit', s: tides?.id ?? '', a: 'user/-/label/Sea' }),
      await edit({ ac: 'edit', s: tides?.id ?? '', a: 'user/-/label/Press' }),
      await reader.post('disable-tag', [['s', 'user/-/label/Press']]),
      await edit({ ac: 'unsubscribe', s: storms?.id ?? '' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 200, 403, 200]);
    expect(answers[0]?.text).toContain('Everybody in a group has the feed');
    expect((await list()).subscriptions.map(({ title }) => title)).toEqual(['tides']);
  });

  it('Fever has the folder as a group', async () => {
    await pressOf([publish('tides', 'Low at six'), {}]);
    const fever = await feverClientOf(app, ada);
    expect((await fever.ask('groups')).groups).toEqual([]);

    await groups.enter(group, userId);

    const { groups: folders, feeds_groups: feedsGroups } = await fever.ask('groups');
    const { feeds } = await fever.ask('feeds');
    expect(folders.map(({ title }) => title)).toEqual(['Press']);
    expect(feedsGroups).toEqual([{ group_id: folders[0]?.id, feed_ids: String(feeds[0]?.id) }]);
  });
});

describe('an account that is deleted', () => {
  it('leaves nothing of what groups gave, and the folder to the others', async () => {
    const folder = await pressOf([publish('tides', 'Low at six'), {}]);
    await groups.enter(group, userId);
    await ok(groups.news.put(`/admin/group-folders/${folder}/editors`, { editors: [userId] }));
    await ok(news.post(`/items/${(await news.item('Low at six')).id}/star`));

    await app.inside(UsersService).delete(userId);

    for (const [table, column] of [
      ['group_folder_member', 'user_id'],
      ['group_folder_editor', 'user_id'],
      ['reader', 'user_id'],
      ['source', 'given_to'],
    ]) {
      const rows = `select 1 as one from ${table} where ${column} = $1`;
      expect(await app.database.query(rows, [userId])).toEqual([]);
    }
    expect((await groups.folder(folder)).members).toBe(0);
  });
});
