import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { Buffer } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import { LIMITS, parsed } from '../../../../test/news/imports/parsed.js';

const FILES = 'test/news/imports/files';
const fileOf = (name: string) => readFileSync(`${FILES}/${name}`);

const CUT =
  'The file ends in the middle or is damaged; what should come behind this place is missing.';

/** Files whose articles are one after the other. */
const IMPORTED = readdirSync(FILES).filter((name) => !/[.](?:opml|md)$|truncated/.test(name));

describe('a file that is cut off', () => {
  it.each(IMPORTED)('has its whole articles, as in the whole file: %s', async (name) => {
    const bytes = fileOf(name);
    const whole = await parsed(bytes);
    const rows = 'rows' in whole ? whole.rows : [];
    for (let n = 1; n <= 25; n += 1) {
      const length = Math.floor((bytes.length * n) / 26);

      const cut = await parsed(bytes.subarray(0, length));

      const found = 'rows' in cut ? cut.rows : [];
      const all = JSON.stringify(rows);
      // The last one of a table may lack a part of its last column, and NewsBlur's feeds come behind the articles.
      const sure = /csv$|html$|newsblur|karakeep|linkwarden/.test(name)
        ? found.slice(0, -1)
        : found;
      expect(sure.every((row) => all.includes(JSON.stringify(row)))).toBe(true);
      expect(found.length).toBeLessThanOrEqual(rows.length);
      // A table that ends behind a row is whole.
      const isTold = 'refused' in cut || found.length === rows.length || 'leftOut' in cut;
      expect(isTold || name.endsWith('csv')).toBe(true);
    }
  });

  it('is told at its place', async () => {
    const text = String(fileOf('feedbin-starred.json'));

    expect(await parsed(text.slice(0, -20))).toMatchObject({
      rows: [{ title: 'Owls & larks' }],
      leftOut: [`2 – ${CUT}`],
    });
  });

  it('is told when it is packed', async () => {
    const packed = gzipSync(fileOf('ttrss-export.xml'));

    expect(await parsed(packed)).toMatchObject({ format: 'tt-rss', rows: [{}, {}] });
    expect(await parsed(packed.subarray(0, -60))).toMatchObject({ leftOut: [expect.any(String)] });
  });

  it('is refused if it is a zip', async () => {
    const zip = await zipOf({ 'a.json': fileOf('feedbin-starred.json') });

    expect(await parsed(zip.subarray(0, -30))).toEqual({
      refused: 'The zip is damaged or ends in the middle.',
    });
  });
});

describe('a file in another encoding', () => {
  const NAMES = IMPORTED.filter((name) => /Zoë|W.rter/s.test(String(fileOf(name))));

  it.each(NAMES)('is read like one in UTF-8: %s', async (name) => {
    const text = String(fileOf(name)).replace(/encoding="UTF-8"|charset=UTF-8|\uFEFF/gi, '');
    const whole = await parsed(text);

    expect(await parsed(iconv.encode(text, 'utf-16le', { addBOM: true }))).toEqual(whole);
    expect(await parsed(iconv.encode(text, 'utf-16be', { addBOM: true }))).toEqual(whole);
    expect(await parsed(iconv.encode(text, 'utf-16le'))).toEqual(whole);
    expect(await parsed(Buffer.from(text.replaceAll('\n', '\r\n')))).toEqual(whole);
    expect(await parsed(`\uFEFF${text}`)).toEqual(whole);
    // Emoji are in no other encoding, and nothing refers to them.
    expect(await parsed(iconv.encode(text, 'windows-1252'))).toEqual(whole);
  });
});

describe('a file with too much', () => {
  const json = (rows: number, row: string) => `[${new Array<string>(rows).fill(row).join(',')}]`;
  const FEEDBIN = '{"published":1,"created_at":1,"content":null,"url":"https://a.example/"}';

  it('is refused beyond 100,000 articles, in each family', async () => {
    const refused = (most: number) => ({
      refused: `The file holds more than ${most} articles; split it.`,
    });
    const csv = `url,time_added,status\n${'https://a.example/,1,unread\n'.repeat(11)}`;
    const html = `<!DOCTYPE NETSCAPE-Bookmark-file-1>${'<a href="https://a.example/">'.repeat(11)}`;
    const ten = { ...LIMITS, mostRows: 10 };

    expect(await parsed(json(LIMITS.mostRows + 1, FEEDBIN))).toEqual(refused(LIMITS.mostRows));
    expect(await parsed(csv, ten)).toEqual(refused(10));
    expect(await parsed(html, ten)).toEqual(refused(10));
  });

  it('loses texts beyond 1 MiB, labels beyond 50, and articles beyond 8 MiB', async () => {
    const labels = Array.from({ length: 60 }, (_, n) => `label ${n}`);
    const row = { url: 'https://a.example/1', is_archived: 1, domain_name: 'a', tags: labels };
    const long = { ...row, url: 'https://a.example/2', tags: [], content: 'x'.repeat(2 ** 20 + 1) };
    const longer = { ...long, content: 'x'.repeat(9 * 2 ** 20) };

    expect(await parsed(JSON.stringify([row, long, longer]))).toEqual({
      format: 'wallabag',
      rows: [
        { url: 'https://a.example/1', isRead: true, labels: labels.slice(0, 50) },
        { url: 'https://a.example/2', isRead: true },
      ],
      leftOut: [
        '1: https://a.example/1 – It has more than 50 labels; the others are left out.',
        '2: https://a.example/2 – Its text is longer than 1 MiB; it comes without it.',
        '3 – It is longer than 8 MiB.',
      ],
    });
  });

  it('loses what is nested too deeply, and is refused where that is not an article', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

    expect(await parsed(`[${FEEDBIN},{"a":${deep}}]`)).toMatchObject({
      rows: [{}],
      leftOut: ['2 – It is longer than 8 MiB.'],
    });
    expect(await parsed(`{"a":${deep}}`)).toEqual({
      refused: 'The file is nested more than 100 levels deep.',
    });
  });

  it('is refused if it grows when it is unpacked', async () => {
    const bomb = json(190_000, FEEDBIN.padEnd(90));
    const tooLarge = 'The file is too large when it is unpacked.';

    expect(await parsed(gzipSync(bomb))).toEqual({ refused: tooLarge });
    expect(await parsed(await zipOf({ 'a.json': bomb }))).toEqual({
      refused: 'It is too large when it is unpacked.',
    });
    const limits = { mostRows: 10, mostUnpackedBytes: 50 };
    expect(await parsed(await zipOf({ 'a.json': `[${FEEDBIN}]` }), limits)).toEqual({
      refused: tooLarge,
    });
  });

  it('is refused in the same way if it says that it is of Gatefold; only files and chat do not count', async () => {
    const manifest = JSON.stringify({ format: 'gatefold-account', version: 1 });
    const archiveOf = (files: Readonly<Record<string, string>>) =>
      zipOf({ ...files, 'manifest.json': manifest });
    const limits = { mostRows: 10, mostUnpackedBytes: 200 };
    const large = '{}'.padEnd(200);
    // In another zip, as a directory is read much quicker from memory.
    const many = async (name: string) =>
      zipOf({ 'inner.zip': withMany(await archiveOf({ [name]: '' }), 50_000) });

    expect(await parsed(await archiveOf({ 'starred.json': large }), limits)).toEqual({
      refused: 'The file is too large when it is unpacked.',
    });
    expect(await parsed(await many('a'))).toEqual({
      refused: 'The zip holds more than 50000 files.',
    });
    const bulky = { 'starred.json': '{}', 'files/a': large, 'chat/a.ndjson': large };
    const taken = { format: 'gatefold', rows: [] };
    expect(await parsed(await archiveOf(bulky), limits)).toEqual(taken);
    expect(await parsed(await many('files/a'))).toEqual(taken);
  });
});

describe('hostile values', () => {
  it.each([
    'javascript:alert(1)',
    ' java\nscript:alert(1)',
    'place:sort=8',
    'data:text/html,x',
    'file:///etc/passwd',
    'chrome://settings',
    'about:blank',
    '/etc/passwd',
  ])('are no addresses: %s', async (url) => {
    const rows = [{ feedLink: url, pubDate: 1, unread: true, guid: 'a', url, enclosureLink: url }];

    expect(await parsed(JSON.stringify(rows))).toMatchObject({
      rows: [],
      leftOut: ['1 – Its address does not lead to the web.'.replace('1', `1: ${url}`)],
    });
  });

  it('lose what no text may hold', async () => {
    const row = {
      title: 'a\u0000b\uD800',
      url: 'https://a.example/',
      content: '\u0000',
      author: {},
    };
    const labels = ['a\u007Fb\u0081', '\u007F'];
    const linked = { url: 'https://a.example/', is_archived: 1, domain_name: 'a', tags: labels };
    const file = [{ ...row, published: '9'.repeat(400), created_at: -1 }];

    expect(await parsed(JSON.stringify(file))).toMatchObject({
      rows: [{ title: 'ab\uFFFD', url: 'https://a.example/', isStarred: true }],
    });
    expect(await parsed(JSON.stringify([linked]))).toMatchObject({ rows: [{ labels: ['a b'] }] });
  });

  it('keep their digits, as ids beyond 2^53', async () => {
    const ids = ['9007199254740993', '9007199254740992'];
    const links = ids.map((id) => `{"id":${id},"url":"https://a.example/${id}"}`);
    const file = `{"collections":[{"id":1,"links":[${links.join(',')}]}],"pinnedLinks":[{"id":${ids[0]}}]}`;

    const pinned = `https://a.example/${ids[0]}`;
    expect(await parsed(file)).toMatchObject({ rows: [{ url: pinned, isStarred: true }, {}] });
    expect(await parsed(file)).not.toMatchObject({ rows: [{}, { isStarred: true }] });
  });

  it('are no times unless they are plausible, in seconds, milliseconds or microseconds', async () => {
    const times = ['1600000003', '1600000003000', '1600000003000123', '2020-09-13T12:26:43+0000'];
    const files = times.map((time) => `url,time_added,status\nhttps://a.example/,${time},unread\n`);

    for (const file of files) {
      expect(await parsed(file)).toMatchObject({ rows: [{ savedSeconds: 1_600_000_003 }] });
    }
    expect(await parsed(`url,time_added,status\nhttps://a.example/,0,archive`)).toEqual({
      format: 'pocket',
      rows: [{ url: 'https://a.example/', isRead: true }],
    });
  });
});

describe('a file that is none of these', () => {
  it.each([
    ['', 'There is nothing in the file.'],
    [' \r\n', 'There is nothing in the file.'],
    ['[]', 'There is nothing in the file.'],
    ['%PDF-1.7\n', 'This is a PDF, not a file with articles.'],
    ['\u0089PNG\r\n\u001A\n', 'This is a picture, not a file with articles.'],
    [
      '<?xml version="1.0"?><rss><channel/></rss>',
      'This is a feed: subscribe to its address instead.',
    ],
    [
      '{"version":"https://jsonfeed.org/version/1","items":[{"id":"1"}]}',
      'This is a feed: subscribe to its address instead.',
    ],
    ['<!DOCTYPE html><html><body>', 'This is a web page, not a file with articles.'],
    ['{"a":1}', 'The file is JSON, but of no program whose files Gatefold can read.'],
    ['[{"a":1}]', 'The file is JSON, but of no program whose files Gatefold can read.'],
    ['{"items":', expect.stringContaining('The file ends in the middle')],
    ['first,last\nAda,Lovelace\n', 'The file is of no program whose files Gatefold can read.'],
    ['SQLite format 3\u0000', expect.stringContaining('This is a database.')],
  ])('is refused with a sentence: %j', async (text, sentence) => {
    expect(await parsed(Buffer.from(text, 'latin1'))).toEqual({ refused: sentence });
  });
});

describe('a zip', () => {
  it('has the articles of its files, and its OPML', async () => {
    const zip = await zipOf({
      'feeds.opml.xml': fileOf('freshrss.opml'),
      'starred (1)': fileOf('freshrss-starred.json'),
      'notes.txt': 'Hello',
      '__MACOSX/._starred': 'x',
    });

    expect(await parsed(zip)).toMatchObject({
      format: 'freshrss',
      rows: [{}, {}],
      leftOut: ['notes.txt – The file is of no program whose files Gatefold can read.'],
      opml: 1,
    });
  });

  it('may hold Pocket in parts, twice under one name, and a zip, but not one in that', async () => {
    const part = (n: number) =>
      `title,url,time_added,tags,status\na,https://a.example/${n},1,,unread`;
    const inner = await zipOf({ 'part_000002.csv': part(3), 'inner.zip': await zipOf({ a: 'b' }) });
    const zip = await zipOf([
      ['part_000000.csv', part(1)],
      ['part_000000.csv', part(1)],
      ['part_000000.csv', part(2)],
      ['inner.zip', inner],
    ]);

    expect(await parsed(zip)).toMatchObject({
      format: 'pocket',
      rows: [1, 2, 3].map((n) => ({ url: `https://a.example/${n}` })),
      leftOut: ['inner.zip – It is a zip in a zip in a zip.'],
    });
  });

  it('of Omnivore has texts and highlights in files of their own', async () => {
    const slug = 'owls-and-larks-192aaaaaaaa';
    const zip = await zipOf({
      [`content/${slug}.html`]: '<p>Owls win at night.</p>',
      [`highlights/${slug}.md`]: `${String(fileOf(`omnivore-highlights-${slug}.md`))}\n> And\n> larks?\n`,
      'metadata_0_to_20.json': fileOf('omnivore-metadata_0_to_20.json'),
    });

    expect(await parsed(zip)).toMatchObject({
      format: 'omnivore',
      rows: [
        {
          body: '<p>Owls win at night.</p>',
          highlights: [
            { text: 'Owls win at night', note: 'cite this' },
            { text: 'And\nlarks?', note: null },
          ],
        },
        {},
      ],
    });
  });

  it('of Gatefold is known by its manifest', async () => {
    const manifest = JSON.stringify({ format: 'gatefold-account', version: 1 });

    expect(await parsed(await zipOf({ 'starred.json': '{}', 'manifest.json': manifest }))).toEqual({
      format: 'gatefold',
      rows: [],
    });
  });

  it('loses files whose names lead out of it', async () => {
    const feedbin = fileOf('feedbin-starred.json');
    const zip = await zipOf({ 'aa/starred.json': feedbin, 'b.json': feedbin });
    // Both names have to change, in the file's own head and in the directory.
    const hostile = Buffer.from(zip.toString('latin1').replaceAll('aa/st', '../st'), 'latin1');

    expect(await parsed(hostile)).toMatchObject({
      rows: [{}, {}],
      leftOut: ['../starred.json – Its name leads out of the zip.'],
    });
  });

  it('without anything to import is refused', async () => {
    expect(await parsed(await zipOf({ a: 'b', c: '%PDF' }))).toEqual({
      refused: 'Nothing in the zip can be imported.',
    });
    expect(await parsed(await zipOf({}))).toEqual({ refused: 'The zip is empty.' });
  });
});

async function zipOf(
  files:
    | Readonly<Record<string, string | Buffer>>
    | readonly (readonly [string, string | Buffer])[],
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Array.isArray(files) ? files : Object.entries(files)) {
    zip.addBuffer(Buffer.from(content), name);
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** A zip with its first file so many times in its directory. */
function withMany(zip: Buffer, times: number): Buffer {
  const end = Buffer.from(zip.subarray(-22));
  const [bytes, start] = [end.readUInt32LE(12), end.readUInt32LE(16)];
  const [name, extra, comment] = [28, 30, 32].map((at) => zip.readUInt16LE(start + at));
  const first = zip.subarray(start, start + 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0));
  const added = Buffer.concat(new Array<Buffer>(times - 1).fill(first));
  for (const at of [8, 10]) {
    end.writeUInt16LE(end.readUInt16LE(at) + times - 1, at);
  }
  end.writeUInt32LE(bytes + added.length, 12);
  return Buffer.concat([zip.subarray(0, start), added, zip.subarray(start, -22), end]);
}
