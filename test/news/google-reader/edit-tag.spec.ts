import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  decimalId,
  formOf,
  GoogleReaderClient,
  hexId,
  itemNumbers,
  LABEL,
  longId,
  READING_LIST,
  STATE,
  type FieldList,
} from '../../support/google-reader-client.js';
import { NewsClient } from '../../support/news-client.js';
import { aSeaReader, publishNumbered } from '../../support/sea-reader.js';
import { sharedService } from '../../support/shared-service.js';

const { app, publisher } = await sharedService();

let reader: GoogleReaderClient;
let news: NewsClient;
let feedA: string;
/** Items 1 to 3 are those of A, at the root; 4 and 5 those of B, in the folder "Sea". */
beforeEach(async () => {
  ({ news, reader, feedA } = await aSeaReader(app, publisher));
});

const edit = async (fields: FieldList) => {
  const answer = await reader.post('edit-tag', fields);
  expect([answer.status, answer.text]).toEqual([200, 'OK']);
};
const tagged = (
  way: 'a' | 'r',
  ...states: readonly string[]
): readonly (readonly [string, string])[] =>
  states.map((state) => [way, state.includes('/') ? state : STATE + state] as const);
const items = (...ids: number[]) => ids.map((id) => ['i', decimalId(id)] as const);
const unread = async () =>
  itemNumbers(
    await reader.ids(READING_LIST, [
      ['xt', `${STATE}read`],
      ['n', '1000'],
    ]),
  );
const starred = async () => itemNumbers(await reader.ids(`${STATE}starred`));

describe('edit-tag', () => {
  it('answers exactly OK without a line end, which newsboat and Vienna compare', async () => {
    const answer = await reader.post('edit-tag', [...items(1), ...tagged('a', 'read')]);

    expect(answer.text).toBe('OK');
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('sets and removes read and starred', async () => {
    await edit([...items(1, 2), ...tagged('a', 'read')]);
    await edit([...items(2, 3), ...tagged('a', 'starred')]);
    expect([await unread(), await starred()]).toEqual([
      [5, 4, 3],
      [3, 2],
    ]);

    await edit([...items(1), ...tagged('r', 'read')]);
    await edit([...items(3), ...tagged('r', 'starred')]);
    expect([await unread(), await starred()]).toEqual([[5, 4, 3, 1], [2]]);
  });

  it('takes a and r in one request', async () => {
    await edit([...items(1), ...tagged('a', 'starred')]);

    await edit([...items(1), ...tagged('a', 'read'), ...tagged('r', 'starred')]);

    expect([await unread(), await starred()]).toEqual([[5, 4, 3, 2], []]);
  });

  it('takes the two requests of newsboat: unread is kept-unread, tracking-kept-unread and not read', async () => {
    await edit([...items(1, 2), ...tagged('a', 'read'), ...tagged('r', 'kept-unread')]);
    expect(await unread()).toEqual([5, 4, 3]);

    await edit([
      ...items(1),
      ...tagged('a', 'kept-unread', 'tracking-kept-unread'),
      ...tagged('r', 'read'),
    ]);
    expect(await unread()).toEqual([5, 4, 3, 1]);
  });

  it('takes kept-unread alone as the opposite of read', async () => {
    await edit([...items(1), ...tagged('r', 'kept-unread')]);
    expect(await unread()).toEqual([5, 4, 3, 2]);

    await edit([...items(1), ...tagged('a', 'kept-unread')]);
    expect(await unread()).toEqual([5, 4, 3, 2, 1]);
  });

  it('reads ids in the decimal, the long and the hexadecimal form', async () => {
    for (const [n, form] of [decimalId, longId, hexId].entries()) {
      await edit([['i', form(5 - n)], ...tagged('a', 'read')]);

      expect(await unread()).toEqual([4, 3, 2, 1].slice(n));
    }
  });

  it('ignores unknown tags, and items that are not there', async () => {
    await edit([...items(1), ...tagged('a', 'like', 'broadcast', 'unheard-of', 'nonsense/!')]);
    await edit([...items(999), ['i', 'x'], ['i', ''], ...tagged('a', 'read')]);
    await edit([]);

    expect(await unread()).toEqual([5, 4, 3, 2, 1]);
  });

  it('with a label and without an item creates a folder, as Readrops does', async () => {
    await edit([['a', `${LABEL}Wind & Weather`]]);
    await edit([['a', `${LABEL}Wind & Weather`]]);

    const folders = (await news.folders()).map(({ name }) => name);
    expect(folders).toEqual(['Sea', 'Wind & Weather']);
  });

  it('needs no content type, and takes everything in the query', async () => {
    await reader.call('POST', 'edit-tag', {
      body: formOf([...items(1), ...tagged('a', 'read')]),
    });
    await reader.call('POST', `edit-tag?${formOf([...items(2), ...tagged('a', 'read')])}`, {
      body: 'T=',
    });

    expect(await unread()).toEqual([5, 4, 3]);
  });

  it('is seen by clients of the News API as a change of exactly these items', async () => {
    const before = (await news.items()).map(({ lastModified }) => lastModified);
    await edit([...items(2), ...tagged('a', 'read')]);

    const changed = await news.changedItems(Math.max(...before));
    expect(changed.filter((item) => !item.unread).map(({ id }) => id)).toEqual([2]);
  });
});

describe('mark-all-as-read', () => {
  const markAll = async (fields: FieldList) => {
    const answer = await reader.post('mark-all-as-read', fields);
    expect([answer.status, answer.text]).toEqual([200, 'OK']);
  };
  const arrivedMicros = async (title: string) => Number((await reader.item(title)).timestampUsec);

  it('marks a feed, a folder, starred items, or everything', async () => {
    await edit([...items(5), ...tagged('a', 'starred')]);
    await markAll([['s', `${STATE}starred`]]);
    expect(await unread()).toEqual([4, 3, 2, 1]);

    await markAll([['s', `${LABEL}Sea`]]);
    expect(await unread()).toEqual([3, 2, 1]);

    await edit([...items(5), ...tagged('r', 'read')]);
    await markAll([['s', feedA]]);
    expect(await unread()).toEqual([5]);

    await markAll([['s', READING_LIST]]);
    expect(await unread()).toEqual([]);
  });

  it('marks what had arrived at ts, in microseconds exactly', async () => {
    const first = await arrivedMicros('a3');
    const second = await arrivedMicros('b1');

    await markAll([
      ['s', READING_LIST],
      ['ts', String(first - 1)],
    ]);
    expect(await unread()).toEqual([5, 4, 3, 2, 1]);

    await markAll([
      ['s', READING_LIST],
      ['ts', String(second - 1)],
    ]);
    expect(await unread()).toEqual([5, 4]);

    await markAll([
      ['s', READING_LIST],
      ['ts', String(second)],
    ]);
    expect(await unread()).toEqual([]);
  });

  it('takes ts in seconds: what arrived later in the same second stays unread', async () => {
    const first = await arrivedMicros('a3');

    await markAll([
      ['s', READING_LIST],
      ['ts', String(Math.floor(first / 1e6) - 1)],
    ]);
    expect(await unread()).toEqual([5, 4, 3, 2, 1]);
    await markAll([
      ['s', READING_LIST],
      ['ts', String(Math.floor(first / 1000) - 1)],
    ]);
    expect(await unread()).toEqual([5, 4, 3, 2, 1]);
    await markAll([
      ['s', READING_LIST],
      ['ts', String(Math.floor(first / 1e6) + 100)],
    ]);
    expect(await unread()).toEqual([]);
  });

  it('marks everything without ts or with 0', async () => {
    await markAll([
      ['s', feedA],
      ['ts', '0'],
    ]);

    expect(await unread()).toEqual([5, 4]);
  });

  it.each([16, 17, 40])('takes a ts of %i digits for a time after everything', async (digits) => {
    await markAll([
      ['s', READING_LIST],
      ['ts', '9'.repeat(digits)],
    ]);

    expect(await unread()).toEqual([]);
  });

  it('refuses another ts, which would mark everything otherwise', async () => {
    for (const ts of ['yesterday', '-1', '17900000.5']) {
      const answer = await reader.post('mark-all-as-read', [
        ['s', READING_LIST],
        ['ts', ts],
      ]);

      expect([ts, answer.status, answer.text]).toEqual([
        ts,
        400,
        'The parameter "ts" must be a unix time.',
      ]);
    }
    expect(await unread()).toHaveLength(5);
  });

  it('delivers nothing: what the client has not seen stays unread', async () => {
    publishNumbered(publisher, 'wave', 1);
    const { id } = await news.subscribe(publisher.url('/wave.xml'));
    publishNumbered(publisher, 'wave', 2);
    await new NewsClient(await app.signIn(), 'v1-3').subscribe(publisher.url('/wave.xml'));

    await markAll([['s', `feed/${id}`]]);

    expect(
      await reader.titles(READING_LIST, [
        ['xt', `${STATE}read`],
        ['n', '1'],
      ]),
    ).toEqual(['wave2']);
  });

  it('changes nothing for streams that are not there', async () => {
    await markAll([['s', 'feed/999999']]);
    await markAll([['s', `${LABEL}Nothing`]]);

    expect(await unread()).toHaveLength(5);
  });

  it('without a stream is refused with a sentence', async () => {
    const answer = await reader.post('mark-all-as-read');

    expect([answer.status, answer.text]).toEqual([400, 'The parameter "s" is missing.']);
  });

  it('changes nothing of another user', async () => {
    const other = await GoogleReaderClient.of(await app.signIn());
    await other.post('mark-all-as-read', [['s', feedA]]);
    await other.post('mark-all-as-read', [['s', `${LABEL}Sea`]]);
    await other.post('mark-all-as-read', [['s', READING_LIST]]);

    expect(await unread()).toHaveLength(5);
  });
});

describe('many items', () => {
  it('10,000 in one form are read, and 60,000 or a huge body are refused with 413', async () => {
    const form = (count: number) =>
      [...Array(count).keys()].map((n) => `i=${encodeURIComponent(longId(n + 1))}`).join('&');
    const tag = `a=${encodeURIComponent(`${STATE}read`)}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };

    const answer = await reader.call('POST', 'edit-tag', {
      body: `${form(10_000)}&${tag}`,
      headers,
    });
    expect(answer.text).toBe('OK');
    expect(await unread()).toEqual([]);

    const refused = await reader.call('POST', 'edit-tag', { body: 'i=1&'.repeat(60_000), headers });
    expect([refused.status, refused.text]).toEqual([413, 'The form has more than 50000 fields.']);
    const huge = await reader.call('POST', 'edit-tag', {
      body: `i=${'0'.repeat(11 * 1024 * 1024)}`,
      headers,
    });
    expect(huge.status).toBe(413);
  });
});
