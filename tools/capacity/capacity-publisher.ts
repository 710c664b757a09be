import http from 'node:http';
import type { AddressInfo } from 'node:net';

const ITEMS_PER_FEED = 30;
const NEW_ITEMS = 3;
const MINUTE_MS = 60_000;
const WORDS_PER_ITEM = 250;

/** A local web server with feeds of 30 items, of about 1.5 KB of text each. */
export interface CapacityPublisher {
  readonly itemsPerFeed: number;
  urlOf(feed: number): string;
  /** A tenth of the feeds has three new items. */
  publish(): void;
  close(): Promise<void>;
}

export async function startCapacityPublisher(): Promise<CapacityPublisher> {
  const startedMs = Date.now();
  let editions = 0;
  const server = http.createServer((request, response) => {
    const feed = Number(/^\/feed\/(\d+)$/.exec(request.url ?? '')?.[1]);
    if (Number.isNaN(feed)) {
      response.writeHead(404).end();
      return;
    }
    const edition = Math.floor((editions + 9 - (feed % 10)) / 10);
    const etag = `"${feed}-${edition}"`;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/rss+xml', etag });
    response.end(documentOf(feed, edition, startedMs));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    itemsPerFeed: ITEMS_PER_FEED,
    urlOf: (feed) => `http://127.0.0.1:${port}/feed/${feed}`,
    publish: () => void (editions += 1),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function documentOf(feed: number, edition: number, startedMs: number): string {
  const newest = ITEMS_PER_FEED + edition * NEW_ITEMS;
  const items = Array.from({ length: ITEMS_PER_FEED }, (_, n) => {
    const item = newest - n;
    const date = new Date(startedMs + (item - ITEMS_PER_FEED) * MINUTE_MS).toUTCString();
    return `<item><title>Item ${item} of feed ${feed}</title><guid isPermaLink="false">${feed}-${item}</guid>
      <link>https://publisher.invalid/${feed}/${item}</link><pubDate>${date}</pubDate>
      <description>&lt;p&gt;${prose(feed * 100_003 + item)}&lt;/p&gt;</description></item>`;
  });
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed ${feed}</title>
    <link>https://publisher.invalid/${feed}</link><description>Of the measurement</description>
    ${items.join('\n')}</channel></rss>`;
}

/** Different for every item, and compressible like text. */
function prose(seed: number): string {
  let state = seed;
  return Array.from({ length: WORDS_PER_ITEM }, () => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return `w${(state % 3_989).toString(36)}`;
  }).join(' ');
}
