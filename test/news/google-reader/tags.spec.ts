import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  decimalId,
  GoogleReaderClient,
  itemNumbers,
  LABEL,
  READING_LIST,
  STATE,
  type FieldList,
} from '../../support/google-reader-client.js';
import { NewsClient } from '../../support/news-client.js';
import { aSeaReader, publishNumbered } from '../../support/sea-reader.js';
import { sharedService } from '../../support/shared-service.js';

interface TagJson {
  readonly id: string;
  readonly type?: string;
}

const { app, publisher } = await sharedService();

let reader: GoogleReaderClient;
let other: GoogleReaderClient;
let news: NewsClient;
let feedA: string;
let feedB: string;
/** Items 1 to 3 are those of A, at the root; 4 and 5 those of B, in the folder "Sea". */
beforeEach(async () => {
  ({ news, reader, feedA, feedB } = await aSeaReader(app, publisher));
  other = await GoogleReaderClient.of(await app.signIn());
});

const tags = async (of = reader) =>
  ((await of.get('tag/list', [['output', 'json']])).json as { tags: TagJson[] }).tags;
const post = async (path: string, fields: FieldList) => {
  const answer = await reader.post(path, fields);
  expect([answer.status, answer.text]).toEqual([200, 'OK']);
};
const label = async (name: string, ...ids: number[]) =>
  post('edit-tag', [...ids.map((id) => ['i', decimalId(id)] as const), ['a', LABEL + name]]);
const idsOf = async (stream: string) => itemNumbers(await reader.ids(stream));
const folders = async () => (await news.folders()).map(({ name }) => name);
const folderOf = async (feed: string) =>
  (await news.feed(Number(feed.slice('feed/'.length)))).folderId;

describe('tag/list', () => {
  it('has the starred state, and folders with the type by which RSS Guard and Readrops know them', async () => {
    await news.createFolder('Wind & Weather/UK ü🌊');

    expect(await tags()).toEqual([
      { id: `${STATE}starred` },
      { id: `${LABEL}Sea`, type: 'folder' },
      { id: `${LABEL}Wind & Weather/UK ü🌊`, type: 'folder' },
    ]);
  });

  it('has labels of items with the type tag, and none twice', async () => {
    await label('later', 1);
    await label('Sea', 1);

    expect(await tags()).toEqual([
      { id: `${STATE}starred` },
      { id: `${LABEL}Sea`, type: 'folder' },
      { id: `${LABEL}later`, type: 'tag' },
    ]);
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await reader.get('tag/list');
    const again = { headers: { 'if-none-match': headers['etag'] ?? '' } };

    expect((await reader.call('GET', 'tag/list', again)).status).toBe(304);
    await news.createFolder('Air');
    expect((await reader.call('GET', 'tag/list', again)).status).toBe(200);
  });

  it('shows nothing of another user', async () => {
    await label('later', 1);

    expect(await tags(other)).toEqual([{ id: `${STATE}starred` }]);
  });
});

describe('labels on items', () => {
  it('are set and removed by edit-tag, and are a stream', async () => {
    await label('to read: später/🌊', 2, 5);
    expect(await idsOf(`${LABEL}to read: später/🌊`)).toEqual([5, 2]);
    expect((await reader.item('a2')).categories).toEqual([
      READING_LIST,
      `${LABEL}to read: später/🌊`,
    ]);

    await post('edit-tag', [
      ['i', decimalId(5)],
      ['r', `${LABEL}to read: später/🌊`],
    ]);
    expect(await idsOf(`${LABEL}to read: später/🌊`)).toEqual([2]);
  });

  it('are set together with flags', async () => {
    await post('edit-tag', [
      ['i', decimalId(1)],
      ['a', `${LABEL}later`],
      ['a', `${STATE}read`],
      ['a', `${LABEL}best`],
    ]);

    expect((await reader.item('a1')).categories).toEqual([
      READING_LIST,
      `${STATE}read`,
      `${LABEL}best`,
      `${LABEL}later`,
    ]);
  });

  it('of another user are not theirs', async () => {
    await label('later', 1);

    expect(await other.ids(`${LABEL}later`)).toEqual([]);
    expect((await other.post('disable-tag', [['s', `${LABEL}later`]])).status).toBe(400);
    expect(await idsOf(`${LABEL}later`)).toEqual([1]);
  });

  it('with the name of a folder are one stream with it', async () => {
    await label('Sea', 1, 4);

    expect(await idsOf(`${LABEL}Sea`)).toEqual([5, 4, 1]);
    expect(itemNumbers(await reader.ids(READING_LIST, [['xt', `${LABEL}Sea`]]))).toEqual([3, 2]);
    await post('mark-all-as-read', [['s', `${LABEL}Sea`]]);
    expect(await idsOf(`${STATE}unread`)).toEqual([3, 2]);
  });

  it('without a name are refused, and the flags of the request stay as they were', async () => {
    const answer = await reader.post('edit-tag', [
      ['i', decimalId(1)],
      ['a', `${LABEL}${'x'.repeat(300)}`],
      ['a', `${STATE}read`],
    ]);

    expect(answer.status).toBe(400);
    expect(await idsOf(`${STATE}unread`)).toHaveLength(5);
  });
});

describe('rename-tag', () => {
  it('renames a folder', async () => {
    await post('rename-tag', [
      ['s', `${LABEL}Sea`],
      ['dest', `${LABEL}Ocean / Meer`],
    ]);

    expect(await folders()).toEqual(['Ocean / Meer']);
    expect(await idsOf(`${LABEL}Ocean / Meer`)).toEqual([5, 4]);
  });

  it('renames a label, and a folder and a label of one name together', async () => {
    await label('later', 1);
    await label('Sea', 2);

    await post('rename-tag', [
      ['s', `${LABEL}later`],
      ['dest', `${LABEL}soon`],
    ]);
    await post('rename-tag', [
      ['s', `${LABEL}Sea`],
      ['dest', `${LABEL}Ocean`],
    ]);

    expect(await idsOf(`${LABEL}soon`)).toEqual([1]);
    expect(await idsOf(`${LABEL}Ocean`)).toEqual([5, 4, 2]);
    expect((await tags()).map(({ id }) => id)).toEqual([
      `${STATE}starred`,
      `${LABEL}Ocean`,
      `${LABEL}soon`,
    ]);
  });

  it('takes plain names', async () => {
    await post('rename-tag', [
      ['t', 'Sea'],
      ['dest', 'Ocean'],
    ]);

    expect(await folders()).toEqual(['Ocean']);
  });

  it.each([
    [
      'an unknown tag',
      [
        ['s', `${LABEL}Nothing`],
        ['dest', `${LABEL}X`],
      ],
    ],
    [
      'a state',
      [
        ['s', `${STATE}starred`],
        ['dest', `${LABEL}X`],
      ],
    ],
    ['no name', [['s', `${LABEL}Sea`]]],
    [
      'an empty name',
      [
        ['s', `${LABEL}Sea`],
        ['dest', ' '],
      ],
    ],
    [
      'the name of another folder',
      [
        ['s', `${LABEL}Sea`],
        ['dest', `${LABEL}Air`],
      ],
    ],
  ])('refuses %s with 400 and a sentence', async (_case, fields) => {
    await news.createFolder('Air');

    const answer = await reader.post('rename-tag', fields as unknown as FieldList);

    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/\.$/);
    expect(await folders()).toEqual(['Air', 'Sea']);
  });

  it('renames nothing of another user', async () => {
    const fields: FieldList = [
      ['s', `${LABEL}Sea`],
      ['dest', `${LABEL}X`],
    ];

    expect((await other.post('rename-tag', fields)).status).toBe(400);
    expect(await folders()).toEqual(['Sea']);
  });
});

describe('disable-tag', () => {
  it('removes the folder, and its feeds stay at the root with their items', async () => {
    await post('disable-tag', [['s', `${LABEL}Sea`]]);

    expect(await folders()).toEqual([]);
    expect(await folderOf(feedB)).toBeNull();
    expect(await idsOf(feedB)).toEqual([5, 4]);
  });

  it('removes a label from all items, and the folder of the same name', async () => {
    await label('later', 1, 2);
    await label('Sea', 1);

    await post('disable-tag', [
      ['s', `${LABEL}later`],
      ['s', `${LABEL}Sea`],
    ]);

    expect(await tags()).toEqual([{ id: `${STATE}starred` }]);
    expect(await idsOf(READING_LIST)).toEqual([5, 4, 3, 2, 1]);
  });

  it('takes the name as t', async () => {
    await post('disable-tag', [['t', 'Sea']]);

    expect(await folders()).toEqual([]);
  });

  it('removes nothing when one of several is not there, and says which', async () => {
    const answer = await reader.post('disable-tag', [
      ['s', `${LABEL}Sea`],
      ['s', `${LABEL}No`],
    ]);

    expect([answer.status, answer.text]).toEqual([400, `There is nothing at "${LABEL}No".`]);
    expect(await folders()).toEqual(['Sea']);
    expect((await reader.post('disable-tag')).status).toBe(400);
  });

  it('keeps a feed that was removed for now, which can be restored to the root', async () => {
    const feedId = Number(feedB.slice('feed/'.length));
    await news.call('DELETE', `/feeds/${feedId}?undoable=true`);

    await post('disable-tag', [['s', `${LABEL}Sea`]]);
    await news.post(`/feeds/${feedId}/restore`);

    expect(await folderOf(feedB)).toBeNull();
  });

  it('removes nothing of another user', async () => {
    expect((await other.post('disable-tag', [['s', `${LABEL}Sea`]])).status).toBe(400);
    expect(await folders()).toEqual(['Sea']);
  });
});

describe('unread-count', () => {
  interface CountJson {
    readonly id: string;
    readonly count: number;
    readonly newestItemTimestampUsec: string;
  }
  const counts = async (of = reader) => {
    const { json } = await of.get('unread-count', [
      ['all', '1'],
      ['client', 'x'],
    ]);
    return json as { max: number; unreadcounts: readonly CountJson[] };
  };
  const countOf = async (stream: string) =>
    (await counts()).unreadcounts.find(({ id }) => id === stream);
  const arrived = async (title: string) => (await reader.item(title)).timestampUsec;

  it('has every feed, folder and label, and the reading list; numbers, and times as texts', async () => {
    await label('later', 1, 3);
    await post('edit-tag', [
      ['i', decimalId(1)],
      ['a', `${STATE}read`],
    ]);
    const [ofA, ofB] = [await arrived('a3'), await arrived('b2')];

    expect(await counts()).toEqual({
      max: 4,
      unreadcounts: [
        { id: READING_LIST, count: 4, newestItemTimestampUsec: ofB },
        { id: `${LABEL}Sea`, count: 2, newestItemTimestampUsec: ofB },
        { id: `${LABEL}later`, count: 1, newestItemTimestampUsec: ofA },
        { id: feedA, count: 2, newestItemTimestampUsec: ofA },
        { id: feedB, count: 2, newestItemTimestampUsec: ofB },
      ],
    });
  });

  it('counts an item once that is in a folder and has a label of its name', async () => {
    await label('Sea', 1, 4);

    expect(await countOf(`${LABEL}Sea`)).toMatchObject({ count: 3 });
  });

  it('has 0 for an empty folder', async () => {
    await news.createFolder('Air');

    expect(await countOf(`${LABEL}Air`)).toEqual({
      id: `${LABEL}Air`,
      count: 0,
      newestItemTimestampUsec: '0',
    });
  });

  it('delivers: Liferea asks for nothing else until a count changes', async () => {
    publishNumbered(publisher, 'wave', 1);
    const { id } = await news.subscribe(publisher.url('/wave.xml'));
    publishNumbered(publisher, 'wave', 2);
    await new NewsClient(await app.signIn(), 'v1-3').subscribe(publisher.url('/wave.xml'));

    expect(await countOf(`feed/${id}`)).toMatchObject({ count: 2 });
  });

  it('shows nothing of another user', async () => {
    expect(await counts(other)).toEqual({
      max: 0,
      unreadcounts: [{ id: READING_LIST, count: 0, newestItemTimestampUsec: '0' }],
    });
  });
});
