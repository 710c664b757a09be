import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Clock } from '../../src/common/clock.js';
import { InvalidConfiguration } from '../../src/common/config/config.js';
import { SuggestionsService } from '../../src/news/suggesting/suggestions.service.js';
import { loadConfig } from '../../src/settings.js';
import { addDueSources } from '../support/due-sources.js';
import { LEVELS, NewsClient, ok } from '../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

interface Found {
  readonly suggestions: readonly {
    readonly title: string;
    readonly url: string;
    readonly reason: string | null;
    readonly language: string | null;
    readonly topics: readonly string[];
    readonly feedId: number | null;
  }[];
  readonly topics: readonly string[];
}

const folder = mkdtempSync(path.join(tmpdir(), 'starter-feeds-'));
const listed = (name: string, feeds: unknown): string => {
  const file = path.join(folder, name);
  writeFileSync(file, typeof feeds === 'string' ? feeds : JSON.stringify(feeds));
  return file;
};
const entry = (title: string, language: string, ...topics: string[]) => {
  const host = `${title.normalize('NFD').replaceAll(/[^a-z]/gi, '')}.example.org`.toLowerCase();
  const places = { url: `https://${host}/feed`, link: `https://www.${host}/` };
  return { title, ...places, language, topics, reason: 'It is ours.', checked: '2026-11-29' };
};
const LIST = [
  entry('Gazette of the day', 'en', 'News'),
  entry('The daily gazette', 'fr', 'News'),
  entry('Ökologie heute', 'de', 'Science', 'Nature'),
  entry('Ecology now', 'en', 'Nature', 'Science'),
  entry('毎日新聞ニュース', 'ja', 'News'),
];

let app: TestApp;
let quiet: TestApp;
let user: TestUser;
let laterSeconds = 0;

beforeAll(async () => {
  const GATEFOLD_STARTER_FEEDS = listed('list.json', LIST);
  app = await startApp({ GATEFOLD_STARTER_FEEDS });
  quiet = await startApp({ GATEFOLD_STARTER_FEEDS, GATEFOLD_SUGGEST_FOLLOWED: 'off' });
  for (const one of [app, quiet]) {
    one.inside(SuggestionsService).resolve = async () => [{ address: '93.184.216.34' }];
    one.inside(Clock).nowSeconds = () => Math.floor(Date.now() / 1000) + laterSeconds;
  }
});
afterAll(async () => {
  await app.stop();
  await quiet.stop();
});
beforeEach(async () => {
  user = await app.signIn();
  // The list of what others follow is read anew.
  laterSeconds += 1000;
});

const find = async (q: string, language = 'en', client = user) =>
  (
    await client.call('GET', '/apps/news/api/v1-3/feeds/suggestions', {
      query: { q },
      headers: { 'accept-language': language },
    })
  ).json as Found;
const titles = async (q: string, language = 'en', client = user) =>
  (await find(q, language, client)).suggestions.map(({ title }) => title);

/** Accounts that follow working feeds of these addresses, titled by their hosts. */
async function others(
  count: number,
  urls: readonly string[],
  at: TestApp = app,
): Promise<number[]> {
  let ids: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const { userId } = (await at.signIn()).credentials;
    ids = await addDueSources(at, userId, urls);
  }
  await at.database.query(
    `update source set fetched_at = now(), title = 'Zebra ' || split_part(url, '/', 3)
      where id = any($1::bigint[])`,
    [ids],
  );
  return ids;
}

describe('suggestions from the starter list', () => {
  it.each(LEVELS)('are found by words of the name in %s, the best first', async (level) => {
    const client = new NewsClient(user, level);

    const { suggestions } = await ok<Found>(client.get('/feeds/suggestions', { q: 'gaz' }));

    expect(suggestions).toEqual([
      {
        title: 'Gazette of the day',
        url: 'https://gazetteoftheday.example.org/feed',
        link: 'https://www.gazetteoftheday.example.org/',
        language: 'en',
        topics: ['News'],
        reason: 'It is ours.',
        feedId: null,
      },
      expect.objectContaining({ title: 'The daily gazette' }),
    ]);
  });

  it('are found without regard to case and accents, and anywhere in a script without spaces', async () => {
    expect(await titles('okologie HEUTE')).toEqual(['Ökologie heute']);
    expect(await titles('新聞')).toEqual(['毎日新聞ニュース']);
  });

  it('are found by host and by topic, those in the language of the visitor first', async () => {
    expect(await titles('ecologynow')).toEqual(['Ecology now']);
    expect(await titles('natur', 'de')).toEqual(['Ökologie heute', 'Ecology now']);
    expect(await titles('nature', 'en')).toEqual(['Ecology now', 'Ökologie heute']);
    expect((await find('')).topics).toEqual(['News', 'Science', 'Nature']);
  });

  it('need every word', async () => {
    expect(await titles('daily gazette')).toEqual(['The daily gazette']);
    expect(await titles('daily zebra')).toEqual([]);
  });

  it('are marked if the user follows the feed, also by another name, and say so only to that user', async () => {
    const [id] = await addDueSources(app, user.credentials.userId, [
      'https://thedailygazette.example.org/feed',
    ]);
    await app.database.query(`update subscription set title = 'Mine' where source_id = $1`, [id]);

    const [mine] = (await find('mine')).suggestions;
    const [byList] = (await find('daily')).suggestions;

    expect(mine).toMatchObject({ title: 'Mine', reason: null, feedId: expect.any(Number) });
    expect(byList?.feedId).toBe(mine?.feedId);
    expect((await find('daily', 'en', await app.signIn())).suggestions[0]?.feedId).toBeNull();
    expect(await titles('mine', 'en', await app.signIn())).toEqual([]);
  });
});

describe('suggestions of what others follow', () => {
  it('are public feeds that two accounts follow, with no word about who', async () => {
    await others(2, ['https://two.example.org/feed']);
    await others(1, ['https://one.example.org/feed']);

    expect((await find('zebra')).suggestions).toEqual([
      {
        title: 'Zebra two.example.org',
        url: 'https://two.example.org/feed',
        link: '',
        language: null,
        topics: [],
        reason: 'Others follow it here.',
        feedId: null,
      },
    ]);
  });

  it('are none while the operator has switched them off', async () => {
    await others(2, ['https://two.example.org/feed'], quiet);

    expect(await titles('zebra', 'en', await quiet.signIn())).toEqual([]);
    expect(await titles('ecology', 'en', await quiet.signIn())).toEqual(['Ecology now']);
  });

  it('are never private: credentials, keys, inner names, added items, failing and hidden feeds', async () => {
    const ids = await others(2, [
      'https://ada:secret@hid1.example.org/feed',
      'https://hid2.example.org/feed?token=1',
      'https://hid3.example.org/9f8e7d6c5b4a39281706',
      'https://intranet/feed',
      'https://hid4.example.org/access',
      'https://hid5.example.org/given',
      'https://hid6.example.org/failing',
      'https://hid7.example.org/gone',
      'https://hid8.example.org/moved',
      'https://hid9.example.org/rule',
      'https://seen.example.org/feed',
    ]);
    const changes = [
      `access = '\\x00'`,
      `given_to = 'ada'`,
      'error_count = 9',
      'gone_at = now()',
      `effective_url = 'https://hid8.example.org/feed?token=1'`,
      `item_rule = 'guid'`,
    ];
    for (const [n, change] of changes.entries()) {
      await app.database.query(`update source set ${change} where id = $1`, [ids[n + 4]]);
    }

    const found = await titles('zebra');

    expect(found.filter((title) => /hid|intranet|seen/.test(title))).toEqual([
      'Zebra seen.example.org',
    ]);
  });

  it('are not shown if their host has a private address, or none, or does not answer', async () => {
    await others(2, ['https://inner.example.org/feed', 'https://nowhere.example.org/feed']);
    const service = app.inside(SuggestionsService);
    const before = service.resolve;
    service.resolve = async (host) => {
      if (host.startsWith('nowhere')) {
        throw new Error('ENOTFOUND');
      }
      return [{ address: '93.184.216.34' }, { address: '10.1.2.3' }];
    };

    const found = await titles('zebra');
    service.resolve = before;

    expect(found).toEqual([]);
  });

  it('do not change between two readings of the list', async () => {
    await titles('zebra');
    await others(2, ['https://sudden.example.org/feed']);

    expect(await titles('sudden')).toEqual([]);
    laterSeconds += 1000;
    expect(await titles('sudden')).toEqual(['Zebra sudden.example.org']);
  });
});

describe('requests for suggestions', () => {
  it('are refused without credentials', async () => {
    const { status } = await app
      .asStranger()
      .call('GET', '/apps/news/api/v1-3/feeds/suggestions?q=a');

    expect(status).toBe(401);
  });

  it('take any text of 200 characters for words, and refuse longer ones', async () => {
    for (const q of [
      '%',
      '_',
      '%%gaz%',
      "'; drop table source; --",
      '\\',
      '\ud800',
      '((((',
      '.*',
    ]) {
      expect((await find(q)).suggestions.every(({ title }) => /gazette/i.test(title))).toBe(true);
    }
    const long = await new NewsClient(user, 'v1-3').get('/feeds/suggestions', {
      q: 'a'.repeat(201),
    });
    expect(long.status).toBe(422);
    const longest = await user.call('GET', '/apps/news/api/v1-3/feeds/suggestions', {
      json: { q: 'a'.repeat(100_000) },
    });
    expect(longest.status).toBe(422);
  });

  it('are answered with at most twenty feeds', async () => {
    await others(
      2,
      Array.from({ length: 30 }, (_, n) => `https://many${n}.example.net/feed`),
    );

    expect(await titles('zebra')).toHaveLength(20);
  });
});

describe('the file of the operator', () => {
  const faultOf = (file: string): string => {
    try {
      loadConfig({ GATEFOLD_STARTER_FEEDS: file });
      return '';
    } catch (error) {
      return error instanceof InvalidConfiguration ? error.faults.join() : String(error);
    }
  };
  const [first] = LIST;

  it.each([
    ['no JSON', '[{', 'JSON'],
    ['no list', { feeds: [] }, 'the list: '],
    ['an address of another scheme', [{ ...first, url: 'ftp://example.org/' }], '0.url: '],
    ['a field that is missing', [first, { title: 'A' }], '1.url: '],
    ['a field that nobody knows', [{ ...first, colour: 'red' }], 'colour'],
    ['a day that is none', [{ ...first, checked: '2026-02-30' }], '0.checked: '],
    ['too many feeds', Array.from({ length: 2001 }, () => first), 'the list: '],
    ['too many bytes', `[${' '.repeat(2_100_000)}]`, 'bytes'],
  ])('is refused at the start with a sentence if it has %s', (_, content, said) => {
    const fault = faultOf(listed('wrong.json', content));

    expect(fault).toMatch(/^GATEFOLD_STARTER_FEEDS must be a JSON file of feeds/);
    expect(fault).toContain(said);
  });

  it('is refused at the start if it is not there', () => {
    expect(faultOf(path.join(folder, 'nowhere.json'))).toContain('ENOENT');
  });

  it('may be empty, and then no list is suggested', () => {
    expect(faultOf(listed('empty.json', []))).toBe('');
  });
});
