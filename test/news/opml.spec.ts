import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { XMLValidator } from 'fast-xml-parser';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ProgressBar } from '../../src/common/command-line/progress-bar.js';
import { Config } from '../../src/common/config/config.js';
import { registerOpmlCommands } from '../../src/news/opml/opml.commands.js';
import { readOpml } from '../../src/news/opml/read-opml.js';
import { SourceRefresher } from '../../src/news/sources/refreshing/source-refresher.service.js';
import { ApiClient, basic } from '../support/api-client.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { describeLong, itLong } from '../support/long.js';
import { NewsClient, ok } from '../support/news-client.js';
import { printedBy } from '../support/printed-by.js';
import { processorMs } from '../support/processor-time.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';

interface ImportJson {
  readonly imported: number;
  readonly alreadyThere: number;
  readonly invalid: readonly { title: string; url: string; reason: string; line: number }[];
}

interface ProgressJson {
  readonly feeds: number;
  readonly fetched: number;
  readonly failing: number;
  readonly failures: readonly { feedId: number; title: string; url: string; reason: string }[];
}

const { app } = await sharedService();
let user: TestUser;
let client: NewsClient;

beforeEach(async () => {
  user = await app.signIn();
  client = new NewsClient(user, 'v1-3');
});

const opml = (...outlines: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0"><head/><body>\n${outlines.join('\n')}\n</body></opml>`;
const feed = (url: string, text = url) => `<outline type="rss" text="${text}" xmlUrl="${url}"/>`;
const folder = (text: string, ...outlines: string[]) =>
  `<outline text="${text}">${outlines.join('')}</outline>`;

const send = (body: string, contentType = 'text/x-opml', to: NewsClient = client) =>
  to.call('POST', '/opml/import', { body, headers: { 'content-type': contentType } });
const importOpml = (body: string) => ok<ImportJson>(send(body));
const exported = async () => (await client.get('/opml/export')).text;
const read = (text: string | Buffer) => readOpml(Buffer.from(text));

/** Fetches the source as the schedule would. */
async function fetchNow(url: string): Promise<void> {
  const [source] = await app.database.query<{ id: number }>(
    'select id from source where url = $1',
    [url],
  );
  await app.inside(SourceRefresher).refreshNow(source?.id ?? 0);
}

describe('an OPML file', () => {
  it('contains named feeds in folders; of nested folders the innermost counts', async () => {
    const { feeds } = await read(
      opml(
        feed('https://a.example/feed', 'A'),
        folder(
          'Outer',
          folder('Inner', feed('https://b.example/', 'B')),
          feed('https://c.example/', 'C'),
        ),
      ),
    );

    expect(feeds.map(({ title, folder, line }) => [title, folder, line])).toEqual([
      ['A', null, 3],
      ['B', 'Inner', 4],
      ['C', 'Outer', 4],
    ]);
  });

  it.each([
    ['attributes in any case', '<OUTLINE TEXT="x" XMLURL="https://a.example/"/>'],
    ['no type', '<outline text="x" xmlUrl="https://a.example/"/>'],
    ['title in place of text', '<outline title="x" xmlUrl="https://a.example/"/>'],
    ['url in place of xmlUrl', '<outline type="RSS" text="x" url="https://a.example/"/>'],
    ['a feed: address', '<outline text="x" xmlUrl="feed:https://a.example/"/>'],
    ['a feed:// address', '<outline text="x" xmlUrl="feed://a.example/"/>'],
    [
      'single quotes and line breaks',
      "<outline\n text='x'\n xmlUrl='https://a.example/'\n></outline>",
    ],
  ])('may have %s', async (_case, outline) => {
    const { feeds } = await read(opml(outline));

    expect(feeds).toHaveLength(1);
    expect(feeds[0]?.title).toBe('x');
    expect(feeds[0]?.url).toMatch(/^https?:\/\/a\.example\/$/);
  });

  it('may contain addresses with unescaped ampersands', async () => {
    const { feeds } = await read(opml(feed('https://a.example/?a=1&b=2&amp;copy=3')));

    expect(feeds[0]?.url).toBe('https://a.example/?a=1&b=2&copy=3');
  });

  it.each([
    [
      'UTF-8 with a byte order mark',
      Buffer.from(`\ufeff${opml(feed('https://a.example/', 'Überblick €'))}`),
    ],
    ['UTF-16', Buffer.from(`\ufeff${opml(feed('https://a.example/', 'Überblick €'))}`, 'utf16le')],
    [
      'windows-1252 declared as UTF-8',
      Buffer.from(opml(feed('https://a.example/', '\xdcberblick \x80')), 'latin1'),
    ],
    [
      'the declared charset',
      Buffer.from(
        opml(feed('https://a.example/', '\xdcberblick \xa4')).replace('UTF-8', 'iso-8859-15'),
        'latin1',
      ),
    ],
  ])('may be written in %s', async (_case, bytes) => {
    const { feeds } = await read(bytes);

    expect(feeds[0]?.title).toBe('Überblick €');
  });

  it('is read up to its end if it is truncated, with a warning', async () => {
    const whole = opml(feed('https://a.example/'), feed('https://b.example/'));
    const { feeds, damage } = await read(whole.slice(0, whole.indexOf('b.example')));

    expect(feeds).toHaveLength(1);
    expect(damage).toBe(
      'The file ends in the middle; what should come behind this line is missing.',
    );
  });

  it('has folders only for outlines without an address', async () => {
    const { feeds, emptyFolders } = await read(
      opml(
        folder('Empty'),
        '<outline text="A page" type="link" url="https://a.example/"/>',
        folder('  ', feed('https://b.example/')),
        folder('f'.repeat(400), feed('https://c.example/')),
      ),
    );

    expect(emptyFolders).toEqual(['Empty']);
    expect(feeds.map(({ folder }) => folder)).toEqual([null, 'f'.repeat(255)]);
  });

  it.each<[string, string, Record<string, string | null>]>([
    [
      'written as feeds without an address, as by Flym',
      '<outline type="rss" title="comics"><outline type="rss" title="A" xmlUrl="https://a.example/"/></outline>',
      { 'https://a.example/': 'comics' },
    ],
    [
      'named by categories, as by newsboat',
      '<outline xmlUrl="https://a.example/" category="Science, Other"/>' +
        '<outline xmlUrl="https://b.example/" category="/Tech/Linux,/World"/>' +
        '<outline xmlUrl="https://c.example/" category="!hidden,~A name, Fun &amp; games"/>' +
        folder('Papers', '<outline xmlUrl="https://d.example/" category="Science"/>') +
        '<outline xmlUrl="https://e.example/" category=" , / "/>',
      {
        'https://a.example/': 'Science',
        'https://b.example/': 'Linux',
        'https://c.example/': 'Fun & games',
        'https://d.example/': 'Papers',
        'https://e.example/': null,
      },
    ],
    [
      'of one name in different places, which stay apart',
      folder('Tech', folder('News', feed('https://a.example/')), folder('Code', folder('Empty'))) +
        folder('Sport', folder('News', feed('https://b.example/')), feed('https://c.example/')) +
        folder('News', feed('https://d.example/')) +
        folder('Tech / News', feed('https://e.example/')) +
        folder('A', folder('B', folder('Deep', feed('https://f.example/')))) +
        folder('C', folder('B', folder('Deep', feed('https://g.example/')))) +
        folder('Tech', folder('News', feed('https://h.example/'))) +
        '<outline xmlUrl="https://i.example/" category="/Sport/News"/>',
      {
        'https://a.example/': 'Tech / News',
        'https://b.example/': 'Sport / News',
        'https://c.example/': 'Sport',
        'https://d.example/': 'News',
        'https://e.example/': 'Tech / News (2)',
        'https://f.example/': 'A / B / Deep',
        'https://g.example/': 'C / B / Deep',
        'https://h.example/': 'Tech / News',
        'https://i.example/': 'Sport / News',
      },
    ],
  ])('may have folders %s', async (_case, outlines, expected) => {
    const { feeds, emptyFolders } = await read(opml(outlines));

    expect(Object.fromEntries(feeds.map(({ url, folder }) => [url, folder]))).toEqual(expected);
    expect(emptyFolders).toEqual(outlines.includes('Empty') ? ['Empty'] : []);
  });

  it('has feeds without an address only where nothing is in them', async () => {
    const { feeds } = await read(
      opml(
        '<outline type="rss" text="Lost"/>',
        '<outline type="rss" text="Folder"> <a/></outline>',
      ),
    );

    expect(feeds.map(({ title, url, line }) => [title, url, line])).toEqual([
      ['Lost', '', 3],
      ['Folder', '', 4],
    ]);
  });

  it.each([
    [
      'search folders',
      '<outline text="Unread" type="vfolder"><outline text="is" type="rule"/></outline>',
    ],
    ['search folders with an address', '<outline text="Unread" type="vfolder" xmlUrl="vfolder"/>'],
    ['bookmarks', folder('Read', '<outline text="A" type="link" url="https://a.example/"/>')],
    ['tasks', '<outline text="Milk" _status="checked"/><outline text="Bread" created="today"/>'],
    ['playlists', '<outline text="Mine" type="podcast-playlist" includeAll="1"/>'],
    ['notes on feeds', '<outline xmlUrl="https://b.example/"><outline text="good"/></outline>'],
  ])('has no feeds or folders of %s', async (_case, outlines) => {
    const { feeds, emptyFolders } = await read(opml(outlines, feed('https://a.example/')));

    expect(feeds.filter(({ url }) => !/^https:..[ab].example/.test(url))).toEqual([]);
    expect(emptyFolders).toEqual([]);
  });

  it('has no folders if it has no feeds', async () => {
    const { feeds, emptyFolders } = await read(
      opml(folder('Home', folder('Milk')), folder('Work')),
    );

    expect([feeds, emptyFolders]).toEqual([[], []]);
  });

  it.each([
    ['', 'The file is empty.'],
    ['just words', 'The file is not OPML: it holds no XML elements.'],
    ['{"feeds": []}', 'The file is not OPML: it holds no XML elements.'],
    [
      '<rss><channel/></rss>',
      'This is a feed, not a list of feeds: subscribe to its address instead.',
    ],
    ['<!doctype html><html></html>', 'This is a web page, not an OPML file.'],
    ['<svg/>', 'The file is not OPML: it begins with <svg>.'],
    [
      opml('<outline text="x">'.repeat(60)),
      'The file is nested more than 50 levels deep in line 3.',
    ],
    [
      opml(...Array.from({ length: 5001 }, (_, n) => feed(`https://a.example/${n}`))),
      'The file holds more than 5000 feeds; split it into several files.',
    ],
    [
      opml(feed('https://a.example/'), ...Array.from({ length: 1001 }, (_, n) => folder(`f${n}`))),
      'The file holds more than 1000 folders; split it into several files.',
    ],
    ['x'.repeat(10 * 1024 * 1024 + 1), 'The file is larger than 10 MiB.'],
  ])('is refused with a reason: %.30s', async (text, reason) => {
    await expect(read(text)).rejects.toThrow(reason);
  });

  it('expands no entities, so that a small file cannot grow', async () => {
    const entities = [
      '<!ENTITY a "aaaaaaaaaa">',
      '<!ENTITY b "&a;&a;&a;&a;">',
      '<!ENTITY f SYSTEM "file:///etc/passwd">',
    ];
    const { feeds } = await read(
      `<!DOCTYPE opml [${entities.join('')}]>${opml(feed('https://a.example/', '&b;&f;'))}`,
    );

    expect(feeds[0]?.title).toBe('&b;&f;');
  });

  itLong.each([
    [
      'one endless attribute',
      `<opml><body><outline text="${'x'.repeat(9_000_000)}" xmlUrl="https://a.example/"/></body></opml>`,
    ],
    [
      'a million attributes',
      `<opml><body><outline ${Array.from({ length: 500_000 }, (_, n) => `a${n}=""`).join(' ')} xmlUrl="https://a.example/"/></body></opml>`,
    ],
    [
      'a million end tags',
      `<opml>${'</outline>'.repeat(900_000)}<outline xmlUrl="https://a.example/"/></opml>`,
    ],
    [
      'a million declarations',
      `${'<!x>'.repeat(2_000_000)}<opml><outline xmlUrl="https://a.example/"/></opml>`,
    ],
    [
      'a million empty lines',
      `<opml>${'\n'.repeat(9_000_000)}<outline xmlUrl="https://a.example/"/></opml>`,
    ],
  ])('is read quickly with %s', async (_case, text) => {
    const cost = await processorMs(async () => {
      const { feeds } = await read(text);

      expect(feeds).toHaveLength(1);
      expect(feeds[0]?.title?.length ?? 0).toBeLessThanOrEqual(1000);
    });

    expect(cost).toBeLessThan(8000);
  });
});

describe('POST /opml/import', () => {
  it('subscribes to new feeds, in the folders of the file, and counts the others', async () => {
    await client.createFolder('News');
    await importOpml(opml(feed('https://known.example/feed')));

    const result = await importOpml(
      opml(
        feed('https://known.example/feed'),
        folder(
          'News',
          feed('https://a.example/feed', 'A'),
          feed('https://A.example:443/feed#top', 'A again'),
        ),
        folder('Later', feed('ftp://b.example/feed', 'B')),
        folder('Empty'),
        feed('', 'No address'),
      ),
    );

    expect(result).toEqual({
      imported: 1,
      alreadyThere: 2,
      invalid: [
        {
          title: 'B',
          url: 'ftp://b.example/feed',
          reason:
            'This is no address: enter that of a feed or of a website, such as example.org, with or without https://.',
          line: 5,
        },
        { title: 'No address', url: '', reason: 'The address of the feed is empty.', line: 7 },
      ],
    });
    const folders = await client.folders();
    expect(folders.map(({ name }) => name)).toEqual(['Empty', 'News']);
    const { feeds } = await client.feedList();
    expect(feeds.map(({ url, title, folderId }) => [url, title, folderId])).toEqual([
      ['https://a.example/feed', 'A', folders[1]?.id],
      ['https://known.example/feed', 'https://known.example/feed', null],
    ]);
  });

  it('imports what fits into the limit of feeds, counts it, and names the rest', async () => {
    const { limits } = app.inside(Config);
    const most = limits['feeds-per-user'];
    const [known, a, b, c] = ['known', 'a', 'b', 'c'].map((name) => `https://${name}.example/`);
    await importOpml(opml(feed(`${known}`)));

    Object.assign(limits, { 'feeds-per-user': 2 });
    const importing = importOpml(opml(...[known, a, b, c].map((url) => feed(`${url}`))));
    const result = await importing.finally(() => Object.assign(limits, { 'feeds-per-user': most }));

    expect(result).toMatchObject({ imported: 1, alreadyThere: 1 });
    expect(result.invalid.map(({ url, reason }) => [url, reason])).toEqual([
      [b, expect.stringContaining('at most 2 feeds per user')],
      [c, expect.stringContaining('at most 2 feeds per user')],
    ]);
  });

  it('accepts the file of a form under any field name', async () => {
    const body = [
      '--limit',
      'Content-Disposition: form-data; name="import"; filename="feeds.opml"',
      'Content-Type: application/octet-stream',
      '',
      opml(feed('https://form.example/feed')),
      '--limit--',
      '',
    ].join('\r\n');

    const answer = await send(body, 'multipart/form-data; boundary=limit');

    expect([answer.status, answer.json]).toEqual([
      200,
      { imported: 1, alreadyThere: 0, invalid: [] },
    ]);
  });

  it.each([['text/xml'], ['application/xml; charset=utf-8'], ['application/octet-stream']])(
    'accepts the file as a body of type %s',
    async (contentType) => {
      expect(await ok(send(opml(feed('https://a.example/')), contentType))).toMatchObject({
        imported: 1,
      });
    },
  );

  it('refuses other files, and changes nothing', async () => {
    const before = await client.feedList();
    const tooLarge = 'x'.repeat(10 * 1024 * 1024 + 1);
    const emptyForm = [
      '--limit',
      'Content-Disposition: form-data; name="a"',
      '',
      'b',
      '--limit--',
      '',
    ];
    const largeForm = [
      '--limit',
      'Content-Disposition: form-data; name="a"; filename="b"',
      '',
      tooLarge,
      '--limit--',
      '',
    ];

    const answers = [
      await send('not opml'),
      await send(''),
      await send(opml(), 'application/x-www-form-urlencoded'),
      await send('{}', 'application/json'),
      await send(tooLarge),
      await send(emptyForm.join('\r\n'), 'multipart/form-data; boundary=limit'),
      await send(largeForm.join('\r\n'), 'multipart/form-data; boundary=limit'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 415, 415, 413, 422, 413]);
    for (const { json } of answers) {
      expect(json).toEqual({ message: expect.any(String) });
    }
    expect(await client.feedList()).toEqual(before);
  });

  it.each([
    ['twice', (file: string) => `${file}${file}--limit--`, 'The form has more than one file.'],
    ['cut off', (file: string) => file.slice(0, -10), 'The multipart form cannot be read.'],
  ])('refuses a form with the file %s', async (_how, formOf, message) => {
    const head = 'Content-Disposition: form-data; name="a"; filename="b"';
    const form = formOf(`--limit\r\n${head}\r\n\r\n${opml()}\r\n`);

    const answer = await send(form, 'multipart/form-data; boundary=limit');

    expect([answer.status, answer.json]).toEqual([400, { message }]);
  });

  it('stops reading a body that never ends', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(Buffer.alloc(1024 * 1024, 'x'));
        if (sent === 20) {
          controller.close();
        }
      },
    });
    const { userId, password } = user.credentials;

    const answer = await fetch(`${app.url}/apps/news/api/v1-3/opml/import`, {
      method: 'POST',
      headers: {
        'content-type': 'text/xml',
        authorization: `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}`,
      },
      body: endless,
      duplex: 'half',
    } as RequestInit);

    expect(answer.status).toBe(413);
    expect(await answer.json()).toEqual({ message: 'The file is larger than 10 MiB.' });
  });

  it('requires credentials, and imports for that user only', async () => {
    const stranger = new NewsClient(app.asStranger(), 'v1-3');
    const other = new NewsClient(await app.signIn(), 'v1-2');
    await importOpml(opml(folder('Mine', feed('https://mine.example/feed'))));

    expect((await send(opml(), 'text/xml', stranger)).status).toBe(401);
    expect((await stranger.get('/opml/export')).status).toBe(401);
    expect((await other.feedList()).feeds).toEqual([]);
    expect(await other.folders()).toEqual([]);
    expect((await other.get('/opml/export')).text).not.toContain('mine.example');
  });
});

describe('an import with progress', () => {
  const NDJSON = { 'content-type': 'text/x-opml', accept: 'application/x-ndjson' };
  const sendForLines = (body: string, to: NewsClient = client) =>
    to.call('POST', '/opml/import', { body, headers: NDJSON });
  const linesOf = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const progress = (after?: unknown, of: NewsClient = client) =>
    ok<ProgressJson>(of.get('/opml/progress', after === undefined ? {} : { after: Number(after) }));

  it('reports line by line, and ends with the result', async () => {
    const urls = Array.from({ length: 250 }, (_, n) => `https://lines.example/${n}`);
    await importOpml(opml(feed(urls[0] ?? '')));

    const { headers, text } = await sendForLines(
      opml(...urls.map((url) => feed(url)), feed('gopher://b/', 'B')),
    );

    expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(linesOf(text)).toEqual([
      { step: 'subscribing', done: 0, total: 250 },
      { step: 'subscribing', done: 100, total: 250 },
      { step: 'subscribing', done: 200, total: 250 },
      { step: 'subscribing', done: 250, total: 250 },
      {
        step: 'subscribed',
        imported: 249,
        alreadyThere: 1,
        invalid: [expect.objectContaining({ title: 'B', url: 'gopher://b/' })],
        after: expect.any(Number),
      },
    ]);
  });

  it('sends each line as soon as there is progress', async () => {
    const urls = Array.from({ length: 300 }, (_, n) => `https://early.example/${n}`);
    const { baseUrl, credentials } = user;
    const response = await fetch(`${baseUrl}/apps/news/api/v1-3/opml/import`, {
      method: 'POST',
      headers: { ...NDJSON, authorization: basic(credentials) },
      body: opml(...urls.map((url) => feed(url))),
    });
    const chunks: string[] = [];
    for await (const chunk of response.body ?? []) {
      chunks.push(Buffer.from(chunk).toString());
    }

    expect(chunks[0]).not.toContain('subscribed');
    expect(linesOf(chunks.join('')).at(-1)).toMatchObject({ step: 'subscribed', imported: 300 });
  });

  it.each(['*/*', 'application/json', 'application/json, application/x-ndjson;q=0.5'])(
    'answers a client that accepts %s without progress',
    async (accept) => {
      const { json } = await client.call('POST', '/opml/import', {
        body: opml(feed('https://as-ever.example/')),
        headers: { ...NDJSON, accept },
      });

      expect(json).toEqual({ imported: 1, alreadyThere: 0, invalid: [] });
    },
  );

  it('refuses other files and missing credentials with a status', async () => {
    const refused = await sendForLines('nonsense');
    const stranger = new NewsClient(app.asStranger(), 'v1-3');

    expect(refused.status).toBe(422);
    expect(refused.json).toEqual({ message: 'The file is not OPML: it holds no XML elements.' });
    expect((await sendForLines(opml(), stranger)).status).toBe(401);
    expect((await stranger.get('/opml/progress')).status).toBe(401);
  });

  it('is followed by the progress of its fetches, with failures and reasons', async () => {
    const server = await startFeedServer();
    await importOpml(opml(feed(server.url('/before.xml'))));
    server.publish('/good.xml', rss({ title: 'Good', items: [] }));
    server.fail('/bad.xml', 404);
    const { text } = await sendForLines(
      opml(feed(server.url('/good.xml'), 'Good'), feed(server.url('/bad.xml'), 'Bad')),
    );
    const after = linesOf(text).at(-1)?.['after'];
    const bad = (await client.feedList()).feeds.find(({ title }) => title === 'Bad');

    expect(await progress(after)).toEqual({ feeds: 2, fetched: 0, failing: 0, failures: [] });
    await fetchNow(server.url('/good.xml'));
    expect(await progress(after)).toEqual({ feeds: 2, fetched: 1, failing: 0, failures: [] });
    await fetchNow(server.url('/bad.xml'));
    expect(await progress(after)).toEqual({
      feeds: 2,
      fetched: 2,
      failing: 1,
      failures: [
        {
          feedId: bad?.id,
          title: 'Bad',
          url: server.url('/bad.xml'),
          reason: expect.stringContaining('404'),
        },
      ],
    });
    expect(await progress()).toMatchObject({ feeds: 3, fetched: 2 });
    await server.close();
  });

  it('reports nothing about feeds of other users', async () => {
    await importOpml(opml(feed('https://private.example/')));
    const other = new NewsClient(await app.signIn(), 'v1-3');

    expect(await progress(0, other)).toEqual({ feeds: 0, fetched: 0, failing: 0, failures: [] });
  });
});

it('lists the first 500 invalid entries, and counts the others', async () => {
  const entries = Array.from({ length: 502 }, (_, n) => feed('nowhere', `Feed ${n}`));

  const result = await importOpml(opml(...entries));

  expect(result).toMatchObject({ imported: 0, alreadyThere: 0, moreInvalid: 2 });
  expect(result.invalid).toHaveLength(500);
});

describeLong('a thousand feeds of five hosts', () => {
  const urls = Array.from({ length: 1000 }, (_, n) => `https://h${n % 5}.bulk.example/${n}`);
  const file = opml(...urls.map((url, n) => folder(`Folder ${n % 20}`, feed(url, `Feed ${n}`))));

  it('are imported without delaying requests, and then fetched one by one', async () => {
    const other = new NewsClient(await app.signIn(), 'v1-3');
    const state = { isImporting: true };
    const answeredMeanwhile = async (work: () => Promise<unknown>) => {
      let answers = 0;
      while (state.isImporting) {
        await work();
        answers += state.isImporting ? 1 : 0;
      }
      return answers;
    };

    const importing = importOpml(file).finally(() => (state.isImporting = false));
    const [result, ofTheSame, ofAnother] = await Promise.all([
      importing,
      answeredMeanwhile(() => ok(client.post('/items/read', { newestItemId: 1 }))),
      answeredMeanwhile(() => ok(other.get('/feeds'))),
    ]);

    expect(result).toEqual({ imported: 1000, alreadyThere: 0, invalid: [] });
    expect(ofTheSame).toBeGreaterThan(2);
    expect(ofAnother).toBeGreaterThan(2);
    expect(await client.folders()).toHaveLength(20);
    expect(await importOpml(file)).toEqual({ imported: 0, alreadyThere: 1000, invalid: [] });

    const gaps = await app.database.query<{
      host: string;
      feeds: number;
      shortest: number;
      last: number;
    }>(
      `select host_key as host, count(*)::int as feeds, min(gap)::float8 as shortest, max(due)::float8 as last
         from (select host_key, extract(epoch from due_at - now()) as due,
                      extract(epoch from due_at - lag(due_at) over (partition by host_key order by due_at)) as gap
                 from source_schedule where host_key like '%.bulk.example') spaced
        group by host_key order by host_key`,
    );
    expect(gaps.map(({ host, feeds }) => [host, feeds])).toEqual(
      [0, 1, 2, 3, 4].map((n) => [`h${n}.bulk.example`, 200]),
    );
    for (const { shortest, last } of gaps) {
      expect(shortest).toBeGreaterThanOrEqual(1);
      expect(last).toBeLessThanOrEqual(300);
    }
  });
});

describe('an imported feed', () => {
  let server: FeedServer;
  beforeAll(async () => {
    server = await startFeedServer();
  });
  afterAll(() => server.close());

  const publish = (at: string, title: string, count: number) =>
    server.publish(
      at,
      rss({
        title,
        items: Array.from({ length: count }, (_, n) => ({
          title: `${title} ${count - n}`,
          guid: `${title}-${count - n}`,
        })),
      }),
    );
  it('delivers everything published between import and synchronisation', async () => {
    const url = server.url('/busy.xml');
    publish('/busy.xml', 'Busy', 2);
    await importOpml(opml(feed(url, 'Busy')));
    await fetchNow(url);
    server.publish(
      '/busy.xml',
      rss({ title: 'Busy', items: [{ title: 'Busy 3', guid: 'Busy-3' }] }),
    );
    await fetchNow(url);

    await client.feedList();

    expect((await client.items()).map(({ title }) => title)).toEqual([
      'Busy 3',
      'Busy 2',
      'Busy 1',
    ]);
  });

  it('starts with the current list if another user already follows it', async () => {
    const url = server.url('/known.xml');
    publish('/known.xml', 'Known', 3);
    const other = new NewsClient(await app.signIn(), 'v1-3');
    await other.subscribe(url);
    server.publish(
      '/known.xml',
      rss({ title: 'Known', items: [{ title: 'Known 4', guid: 'Known-4' }] }),
    );
    await fetchNow(url);

    await importOpml(opml(feed(url, 'Known')));

    await client.feedList();
    expect((await client.items()).map(({ title }) => title)).toEqual(['Known 4']);
  });

  it('keeps a name given by the user, and otherwise follows the publisher', async () => {
    const [own, same] = [server.url('/own.xml'), server.url('/same.xml')];
    publish('/own.xml', 'Publisher', 1);
    publish('/same.xml', 'Same', 1);
    await importOpml(opml(feed(own, 'My name'), feed(same, 'Same')));
    const titles = async () => (await client.feedList()).feeds.map(({ title }) => title);
    const atFirst = await titles();
    await fetchNow(own);
    await fetchNow(same);
    await titles();

    publish('/own.xml', 'Publisher renamed', 1);
    publish('/same.xml', 'Same renamed', 1);
    await fetchNow(own);
    await fetchNow(same);

    expect(atFirst).toEqual(['My name', 'Same']);
    expect(await titles()).toEqual(['My name', 'Same renamed']);
  });

  it("does not show the user's name for it to others", async () => {
    await importOpml(opml(feed('https://shared.example/feed', 'My secret plan')));
    const other = new NewsClient(await app.signIn(), 'v1-3');
    await send(opml('<outline xmlUrl="https://shared.example/feed"/>'), 'text/xml', other);

    expect((await other.feedList()).feeds[0]?.title).toBe('shared.example');
  });
});

describe('GET /opml/export', () => {
  it('is a file that can be imported again, with credentials and special characters', async () => {
    const names = ['A & B <i>', 'Tab\tand "quotes"', 'Über 日本 🗝'];
    const escaped = names.map((name) =>
      name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    );
    await importOpml(
      opml(
        feed('https://me:secret@a.example/feed?a=1&amp;b=2', escaped[0]),
        folder(escaped[1] ?? '', feed('https://b.example/', escaped[2])),
        folder('Empty'),
      ),
    );
    const answer = await client.get('/opml/export');

    expect(answer.status).toBe(200);
    expect(XMLValidator.validate(answer.text)).toBe(true);
    expect(answer.headers['content-type']).toBe('text/x-opml; charset=utf-8');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="subscriptions.opml"');
    const { feeds, emptyFolders, damage } = await read(answer.text);
    expect(feeds.map(({ url, title, folder }) => [url, title, folder])).toEqual([
      ['https://me:secret@a.example/feed?a=1&b=2', 'A & B <i>', null],
      ['https://b.example/', 'Über 日本 🗝', 'Tab and "quotes"'],
    ]);
    expect([emptyFolders, damage]).toEqual([['Empty'], null]);
  });

  it('names no feed before its first fetch, so that the name of the publisher counts elsewhere', async () => {
    const server = await startFeedServer();
    const url = server.url('/unread.xml');
    await importOpml(opml(`<outline type="rss" xmlUrl="${url}"/>`, feed(`${url}?2`, 'Mine')));

    const text = await exported();
    expect(text).toContain(`<outline text="" type="rss" xmlUrl="${url}"/>`);
    expect(text).toContain('title="Mine"');

    const elsewhere = new NewsClient(await app.signIn(), 'v1-3');
    await ok(send(text, 'text/x-opml', elsewhere));
    server.publish('/unread.xml', rss({ title: 'The publisher', link: url, items: [] }));
    await fetchNow(url);
    const { feeds } = await elsewhere.feedList();
    expect(feeds.map(({ title }) => title).toSorted()).toEqual(['Mine', 'The publisher']);
    await server.close();
  });

  it('omits characters that XML forbids', async () => {
    const created = await client.createFolder('A\u0001\ufffeBC\nD');
    await client.call('POST', '/opml/import', {
      body: opml(feed('https://a.example/')),
      headers: { 'content-type': 'text/xml' },
    });

    const text = await exported();

    expect(created.name).toContain('\u0001');
    expect(text).toContain('<outline text="ABC&#10;D"');
  });

  it('is valid for a user without feeds', async () => {
    const text = await exported();

    expect(XMLValidator.validate(text)).toBe(true);
    expect(await read(text)).toMatchObject({ feeds: [], emptyFolders: [], damage: null });
  });
});

describe('the addresses of the web interface', () => {
  const web = () => new ApiClient(`${app.url}/index.php/apps/news`, user.credentials);
  const upload = (body: string) =>
    web().call('POST', '/import/opml', { body, headers: { 'content-type': 'text/xml' } });

  it('import and export the same, and answer with a status and a message', async () => {
    const good = await upload(opml(feed('https://a.example/feed', 'A')));
    const bad = await upload('<html></html>');
    const file = await web().get('/export/opml');

    expect([good.status, good.json]).toEqual([
      200,
      { status: 'ok', message: '1 feeds imported, 0 already there, 0 could not be imported.' },
    ]);
    expect([bad.status, bad.json]).toEqual([
      422,
      { status: 'error', message: 'This is a web page, not an OPML file.' },
    ]);
    expect(file.text).toContain('xmlUrl="https://a.example/feed"');
  });

  it('require credentials', async () => {
    const stranger = new ApiClient(`${app.url}/apps/news`);

    expect((await stranger.get('/export/opml')).status).toBe(401);
    expect((await stranger.post('/import/opml')).status).toBe(401);
  });
});

describe('the commands', () => {
  let place: string;
  let server: FeedServer;
  beforeAll(async () => {
    server = await startFeedServer();
    place = await temporaryFolder('opml');
  });
  afterAll(async () => {
    await server.close();
    await rm(place, { recursive: true });
  });

  async function gatefold(...args: string[]): Promise<string> {
    const program = new Command().exitOverride();
    registerOpmlCommands(program, (work) => work(app.inside));
    return printedBy(program, args);
  }

  /** Two exports may have different timestamps. */
  const undated = (document: string) => document.replace(/<dateCreated>[^<]+</, '<dateCreated><');

  it('import a file for a user, export it, and import it again', async () => {
    const { userId } = user.credentials;
    const [given, written] = [path.join(place, 'given.opml'), path.join(place, 'written.opml')];
    await writeFile(given, opml(feed('https://a.example/feed', 'A'), feed('gopher://b/', 'B')));

    const imported = await gatefold('news:opml:import', userId, given);
    await gatefold('news:opml:export', userId, written);
    const again = await gatefold('news:opml:import', userId, written);

    expect(imported).toBe(
      '1 feeds imported, 0 already there, 1 could not be imported.\n' +
        '  line 4: B, gopher://b/: This is no address: enter that of a feed or of a website, such as example.org, with or without https://.\n',
    );
    expect(again).toBe('0 feeds imported, 1 already there, 0 could not be imported.\n');
    const exportedAgain = await gatefold('news:opml:export', userId);
    expect(undated(exportedAgain)).toBe(undated(await readFile(written, 'utf8')));
    expect((await stat(written)).mode & 0o777).toBe(0o600);
  });

  it('refuse unknown users and missing files', async () => {
    const empty = path.join(place, 'empty.opml');
    await writeFile(empty, opml());

    await expect(gatefold('news:opml:import', 'nobody', empty)).rejects.toThrow(
      'There is no user "nobody".',
    );
    await expect(gatefold('news:opml:export', 'nobody')).rejects.toThrow('There is no user');
    await expect(
      gatefold('news:opml:import', user.credentials.userId, path.join(place, 'missing')),
    ).rejects.toThrow(`${path.join(place, 'missing')}: there is no such file or folder.`);
  });

  itLong('give up to wait when no feed is fetched', async () => {
    const file = path.join(place, 'wait.opml');
    await writeFile(file, opml(feed('https://never.example/feed')));

    await expect(
      gatefold('news:opml:import', user.credentials.userId, file, '--wait', '1'),
    ).rejects.toThrow(
      '1 of 1 feeds still wait for their first fetch, and nothing was fetched for 1 s.',
    );
  });

  it('wait until all feeds are fetched', async () => {
    const { userId } = user.credentials;
    const file = path.join(place, 'wait.opml');
    server.fail('/feed.xml', 404);
    await writeFile(file, opml(feed(server.url('/feed.xml'))));
    await gatefold('news:opml:import', userId, file);
    await fetchNow(server.url('/feed.xml'));

    expect(await gatefold('news:opml:import', userId, file, '--wait')).toBe(
      '0 feeds imported, 1 already there, 0 could not be imported.\n' +
        'All 1 feeds were fetched; 1 could not be read.\n',
    );
  });
});

describe('a progress bar', () => {
  const drawn = (isTTY: boolean) => {
    const texts: string[] = [];
    const bar = new ProgressBar('importing', { isTTY, write: (text) => texts.push(text) });
    bar.show(0, 200);
    bar.show(1, 200);
    bar.show(100, 200);
    bar.end();
    return texts;
  };

  it('is redrawn in place on a terminal, only if it has changed', () => {
    expect(drawn(true)).toEqual([
      `\rimporting ${'░'.repeat(30)}   0 %`,
      `\rimporting ${'█'.repeat(15)}${'░'.repeat(15)}  50 %`,
      '\n',
    ]);
  });

  it('is not written to a file', () => {
    expect(drawn(false)).toEqual([]);
  });
});
