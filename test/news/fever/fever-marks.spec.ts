import { beforeEach, describe, expect, it } from '@jest/globals';
import { rss } from '../../support/feed-server.js';
import { feverClientOf, type FeverClient } from '../../support/fever-client.js';
import { NewsClient, type FeedJson } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestUser } from '../../support/start-app.js';

const ROOT_GROUP = 2_147_483_647;
const ALL = [1, 2, 3, 4, 5, 6];

const { app, publisher } = await sharedService();

let nextFeed = 0;
/** Each test has feeds of its own: users share what was fetched. */
const addressOf = (name: string) => `/${name}-${nextFeed}.xml`;
const publish = (name: string, numbers: readonly number[]) =>
  publisher.publish(
    addressOf(name),
    rss({
      title: name,
      items: numbers.map((n) => ({
        title: `${name}${n}`,
        guid: `${name}/${n}`,
        // Long ago: `before` is about arrival.
        pubDate: new Date(Date.UTC(2020, 0, n)),
      })),
    }),
  );

let user: TestUser;
let news: NewsClient;
let fever: FeverClient;
let stranger: FeverClient;
let folderId: number;
let feedA: FeedJson;
let feedB: FeedJson;

/** Items 1 to 3 are at the root, 4 to 6 in a folder. */
beforeEach(async () => {
  nextFeed += 1;
  publish('a', [3, 2, 1]);
  publish('b', [3, 2, 1]);
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  fever = await feverClientOf(app, user);
  folderId = (await news.createFolder('Folder')).id;
  feedA = await news.subscribe(publisher.url(addressOf('a')));
  feedB = await news.subscribe(publisher.url(addressOf('b')), folderId);
  const other = await app.signIn();
  stranger = await feverClientOf(app, other);
  await new NewsClient(other, 'v1-3').subscribe(publisher.url(addressOf('a')));
});

async function arrivedSeconds(itemId: number): Promise<number> {
  const [row] = await app.database.query<{ seconds: number }>(
    `select floor(arrived_micros / 1000000)::bigint as seconds
       from item join reader on reader.id = item.reader_id
      where user_id = $1 and item.id = $2`,
    [user.credentials.userId, itemId],
  );
  return row?.seconds ?? 0;
}

describe('mark=item', () => {
  it('sets and does not toggle, and answers with the ids that have the flag now', async () => {
    for (const _ of ['once', 'again']) {
      expect(await fever.ask('mark=item&as=read&id=2')).toMatchObject({
        auth: 1,
        unread_item_ids: '1,3,4,5,6',
      });
      expect(await fever.ask('mark=item&as=saved&id=2')).toMatchObject({ saved_item_ids: '2' });
    }

    expect(await fever.ask('mark=item&as=unread&id=2')).toMatchObject({
      unread_item_ids: '1,2,3,4,5,6',
    });
    expect(await fever.ask('mark=item&as=unsaved&id=2')).toMatchObject({ saved_item_ids: '' });
  });

  it('takes lists of ids', async () => {
    await fever.ask('mark=item&as=read&id=2,3,4');
    await fever.ask('mark=item&as=saved&id=5&id=6');

    expect([await fever.unreadIds(), await fever.savedIds()]).toEqual([
      [1, 5, 6],
      [5, 6],
    ]);
  });

  it('is seen by clients of the News API', async () => {
    await fever.ask('mark=item&as=read&id=2');
    await fever.ask('mark=item&as=saved&id=2');

    const items = await news.items();

    expect(items.find(({ id }) => id === 2)).toMatchObject({ unread: false, starred: true });
  });
});

describe('mark=feed', () => {
  it('marks what arrived at or before the time, whenever it was published', async () => {
    const before = await arrivedSeconds(3);
    await app.database.query(
      `update item set arrived_micros = arrived_micros + 2000000 from reader
        where reader.id = item.reader_id and user_id = $1 and item.id >= 3`,
      [user.credentials.userId],
    );

    const answer = await fever.ask(`mark=feed&as=read&id=${feedA.id}&before=${before}`);

    expect(answer.unread_item_ids).toBe('3,4,5,6');
  });

  it('marks items of the same second, in which the client asked for them', async () => {
    await fever.ask(`mark=feed&as=read&id=${feedA.id}&before=${await arrivedSeconds(3)}`);

    expect(await fever.unreadIds()).toEqual([4, 5, 6]);
  });

  it.each(['', '&before=0'])('marks all without a time (%j)', async (before) => {
    await fever.ask(`mark=feed&as=read&id=${feedB.id}${before}`);

    expect(await fever.unreadIds()).toEqual([1, 2, 3]);
  });

  it.each([16, 17, 40])('marks all before a time of %i digits', async (digits) => {
    const before = '9'.repeat(digits);

    await fever.ask(`mark=feed&as=read&id=${feedB.id}&before=${before}`);
    await fever.ask(`mark=group&as=read&id=${'9'.repeat(digits)}&before=${before}`);
    await fever.ask(`mark=item&as=read&id=${'9'.repeat(digits)}`);

    expect(await fever.unreadIds()).toEqual([1, 2, 3]);
  });

  it('leaves alone what has not been delivered', async () => {
    publish('a', [4, 3, 2, 1]);
    // A new subscription of another user fetches the feed, and delivers nothing here.
    await new NewsClient(await app.signIn(), 'v1-3').subscribe(feedA.url);

    const answer = await fever.ask(`mark=feed&as=read&id=${feedA.id}`);

    expect(answer.unread_item_ids).toBe('4,5,6');
    expect(await fever.unreadIds()).toEqual([4, 5, 6, 7]);
  });
});

describe('mark=group', () => {
  it('marks the feeds of a folder', async () => {
    await fever.ask(`mark=group&as=read&id=${folderId}&before=${await arrivedSeconds(6)}`);

    expect(await fever.unreadIds()).toEqual([1, 2, 3]);
  });

  it('marks the feeds at the root', async () => {
    await fever.ask(`mark=group&as=read&id=${ROOT_GROUP}`);

    expect(await fever.unreadIds()).toEqual([4, 5, 6]);
  });

  it('with id=0 marks all, with id=-1 nothing', async () => {
    await fever.ask('mark=group&as=read&id=-1');
    expect(await fever.unreadIds()).toEqual(ALL);

    await fever.ask(`mark=group&as=read&id=0&before=${(await arrivedSeconds(1)) - 1}`);
    expect(await fever.unreadIds()).toEqual(ALL);

    await fever.ask('mark=group&as=read&id=0');
    expect(await fever.unreadIds()).toEqual([]);
  });
});

describe('what makes no sense', () => {
  it.each([
    'mark=item&as=read&id=99999',
    'mark=item&as=read&id=x',
    'mark=item&as=read&id=',
    'mark=item&as=read',
    'mark=item&as=eaten&id=1',
    'mark=feed&as=read&id=99999',
    'mark=feed&as=saved&id=1',
    'mark=feed&as=read&id=-1',
    'mark=group&as=read&id=99999',
    'mark=group&as=unread&id=0',
    'mark=group&as=read&id=0&before=soon',
    'mark=everything&as=read&id=1',
    'unread_recently_read=1',
  ])('changes nothing, and the answer is good: %s', async (query) => {
    expect(await fever.ask(query)).toMatchObject({ api_version: 3, auth: 1 });

    expect([await fever.unreadIds(), await fever.savedIds()]).toEqual([ALL, []]);
  });
});

describe('a stranger', () => {
  it('changes nothing of others', async () => {
    await stranger.ask(`mark=feed&as=read&id=${feedB.id}`);
    await stranger.ask(`mark=group&as=read&id=${folderId}`);
    await stranger.ask('mark=item&as=read&id=4,5,6');
    await stranger.ask('mark=group&as=read&id=0');

    expect(await fever.unreadIds()).toEqual(ALL);
    expect(await stranger.unreadIds()).toEqual([]);
  });
});
