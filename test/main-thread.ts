/**
 * `node --import ./test/support/run-typescript.mjs test/main-thread.ts [--kind TEXT] [--rounds 3]`: a publisher
 * sends each kind of document several times, with other contents each time, and a user imports, reads and searches
 * what came of it. Prints the longest piece of work of the main thread for each, and fails where it is
 * above 50 ms in two rounds.
 *
 * Counted is the processor time of the thread between two turns of its event loop, so waiting for a processor on a
 * busy machine does not count. Nor does collecting garbage, which frees what everybody left: it has a column of its
 * own, and what it takes grows with the heap, not with a document.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { seedItems } from '../tools/bench/seed-items.js';
import { aServiceProcess } from './support/a-service-process.js';
import { rss, startFeedServer } from './support/feed-server.js';
import { longestBlock, TELLS_BLOCKS, type Block } from './support/longest-block.js';
import {
  cyrillicOpml,
  DOCUMENTS,
  opml,
  type PublishedKind,
} from './support/main-thread-documents.js';
import { NewsClient, ok } from './support/news-client.js';
import { ADMIN, startApp } from './support/start-app.js';
import { createTestDatabase } from './support/test-database.js';
import { startTestServer } from './support/test-server.js';

const MOST_COMPUTING_MS = 50;
const OPML_FEEDS = 5_000;
const ITEMS = 30_000;
const ITEMS_PER_FEED = 300;

const TABLE_HEAD = [
  '| work | computing ms | collecting ms | elapsed ms | of rounds |',
  '| --- | --: | --: | --: | --: |',
];

interface Kind {
  readonly name: string;
  /** Computes once, unmeasured: what is compiled with the first request is nobody's fault. */
  prepare?(): Promise<unknown>;
  round(round: number): Promise<unknown>;
}

const { values: options } = parseArgs({
  options: {
    kind: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
  },
});

const server = await startTestServer();
const database = await createTestDatabase();
const publisher = await startFeedServer();
const { reader, follower } = await seed();
const service = await aServiceProcess(
  database.url,
  {
    // As bin/gatefold.mjs starts it.
    NODE_OPTIONS: '--max-semi-space-size=16',
    MALLOC_ARENA_MAX: '2',
    GATEFOLD_SCHEDULER: 'off',
    GATEFOLD_LIMITS: 'new-articles-per-source-and-day=1000000',
    GATEFOLD_DATABASE_CONNECTIONS: '8',
  },
  TELLS_BLOCKS,
);
const client = (credentials: typeof reader) =>
  new NewsClient({ baseUrl: service.url, credentials }, 'v1-3');
const news = client(follower);
const full = client(reader);
const admin = client(ADMIN);
const problems: string[] = [];

try {
  print(TABLE_HEAD.join('\n'));
  for (const kind of kinds().filter(({ name }) => name.includes(options.kind))) {
    await measure(kind);
    assert(service.isRunning(), `${kind.name}: the process has ended`);
  }
} catch (error) {
  problems.push((error as Error).stack ?? '', service.log().slice(-3000));
} finally {
  await service.kill();
  await publisher.close();
  await database.drop();
  await server.stop();
}
print(problems.length === 0 ? '\nNothing failed.' : `\nFAILED:\n${problems.join('\n')}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function seed() {
  const app = await startApp({ DATABASE_URL: database.url });
  const ada = await app.signInOnce('ada');
  await seedItems(app, ada, ITEMS / ITEMS_PER_FEED, ITEMS_PER_FEED);
  const bob = await app.signInOnce('bob');
  await app.stop();
  return { reader: ada.credentials, follower: bob.credentials };
}

async function measure({ name, prepare, round }: Kind): Promise<void> {
  await prepare?.();
  await longestBlock(service);
  const blocks: Block[] = [];
  for (let at = 1; at <= Number(options.rounds); at += 1) {
    await round(at);
    blocks.push(await longestBlock(service));
  }
  const [longest, second] = blocks.toSorted((a, b) => b.computingMs - a.computingMs);
  const figures = [longest?.computingMs, longest?.collectingMs, longest?.elapsedMs];
  const all = blocks.map(({ computingMs }) => Math.round(computingMs)).join(' ');
  print(`| ${[name, ...figures.map((ms) => (ms ?? 0).toFixed(1)), all].join(' | ')} |`);
  // One alone may have met a thread that shares its core and caches, or code that was compiled anew.
  const ms = (second ?? longest)?.computingMs ?? 0;
  if (ms > MOST_COMPUTING_MS) {
    problems.push(`${name}: ${Math.round(ms)} ms without a turn for others, twice`);
  }
}

function kinds(): Kind[] {
  return [
    ...DOCUMENTS.map(followed),
    // Before the imports use up the feeds of the account.
    filtered(),
    ...opmlKinds(),
    {
      name: `a list of ${ITEMS} items`,
      prepare: () => full.get('/items', { batchSize: 10 }),
      round: () => full.get('/items', { batchSize: -1, type: 3, getRead: true }),
    },
    {
      name: `a search in ${ITEMS} items`,
      prepare: () => full.get('/search', { query: 'none' }),
      round: () => full.get('/search', { query: 'item' }),
    },
    { name: 'the statistics', round: () => admin.get('/admin/statistics') },
    { name: 'the list of sources', round: () => admin.get('/admin/sources') },
    {
      name: 'the clean-up',
      round: () => ok(admin.get('/cleanup/after-update')),
    },
  ];
}

/** Keywords that no item has, so that all of each is looked at. */
function filtered(): Kind {
  const path = '/filtered';
  const keywords = Array.from({ length: 100 }, (_, n) => `keyword ${n} of a`).join();
  const publish = (round: number) =>
    publisher.publish(
      path,
      rss({
        title: 'Filtered',
        items: Array.from({ length: 300 }, (_, n) => ({
          title: `A keyword ${n}`,
          guid: `${round} ${n}`,
          description: `<p>keyword <b>${n}</b> of</p>`.repeat(500),
        })),
      }),
    );
  let feedId = 0;
  return {
    name: '300 long items of a feed with a filter',
    prepare: async () => {
      publish(0);
      const { id, unreadCount } = await news.subscribe(publisher.url(path));
      assert(unreadCount > 0, 'nothing was read');
      feedId = id;
      const filter = { titleKeywords: keywords, bodyKeywords: keywords, urlKeywords: keywords };
      await news.post(`/feeds/${feedId}/filter`, filter);
    },
    round: async (round) => {
      publish(round);
      await admin.update(follower.userId, feedId);
      const { unreadCount } = await news.feed(feedId);
      assert(unreadCount > round * 300, `${unreadCount} items`);
    },
  };
}

function followed(kind: PublishedKind): Kind {
  const path = `/${kind.name.replaceAll(/\W+/g, '-')}`;
  const publish = (round: number) => {
    const { text, contentType } = kind.document(round, publisher.url(path));
    const bytes = gzipSync(text, { level: 1 });
    publisher.publish(path, bytes, { contentType, headers: { 'content-encoding': 'gzip' } });
  };
  let feedId: number | undefined;
  return {
    name: kind.name,
    round: async (round) => {
      publish(round);
      if (kind.what === 'page') {
        await news.post('/feeds/preview', { url: publisher.url(path) });
        return;
      }
      if (feedId === undefined) {
        const { id, unreadCount } = await news.subscribe(publisher.url(path));
        assert(unreadCount > 0, `${kind.name}: nothing was read`);
        feedId = id;
        return;
      }
      await admin.update(follower.userId, feedId);
      const { lastUpdateError } = await news.feed(feedId);
      assert.equal(lastUpdateError, null, kind.name);
    },
  };
}

function opmlKinds(): Kind[] {
  const send = async (text: string | Buffer) => {
    const response = await fetch(`${service.url}/index.php/apps/news/api/v1-3/opml/import`, {
      method: 'POST',
      headers: { ...basicOf(follower), 'content-type': 'text/x-opml' },
      body: new Uint8Array(Buffer.from(text)),
    });
    assert.equal(response.status, 200, await response.text());
  };
  return [
    {
      name: `an import of ${OPML_FEEDS} feeds`,
      round: (round) => send(opml(round, OPML_FEEDS, publisher.url('/missing'))),
    },
    {
      name: 'an import of 9 MiB in windows-1251',
      round: (round) => send(cyrillicOpml(round, OPML_FEEDS)),
    },
    { name: `the list of ${OPML_FEEDS} feeds`, round: () => news.get('/feeds') },
    { name: `an export of ${OPML_FEEDS} feeds`, round: () => news.get('/opml/export') },
    { name: 'the progress of an import', round: () => news.get('/opml/progress') },
  ];
}

function basicOf({ userId, password }: typeof reader): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}` };
}
