import { createHash } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readDemoFeeds, type DemoFeed } from './demo-content.js';
import { FEED_TYPES, writeFeed, writePage } from './demo-documents.js';
import { drawIcon, drawScene } from './demo-pictures.js';
import { writeSound } from './demo-sounds.js';

/** A local web server for the feeds of `tools/demo/content`, with their pictures and sounds. */
interface DemoPublisher {
  readonly feeds: readonly { readonly url: string; readonly language: string }[];
  /** Address of a feed with a new entry every minute. */
  readonly clockUrl: string;
  close(): Promise<void>;
}

interface DemoDocument {
  readonly body: string | Buffer;
  readonly type: string;
}

const CLOCK_ENTRIES = 5;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export async function startDemoPublisher(): Promise<DemoPublisher> {
  const feeds = await readDemoFeeds();
  const startedMs = Date.now();
  const server = http.createServer((request, response) => {
    const base = `http://${request.headers.host ?? ''}`;
    const path = new URL(request.url ?? '/', base).pathname;
    documentAt(path, feeds, base, startedMs).then(
      (document) => send(request, response, document),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  return {
    feeds: feeds.map(({ name, language }) => ({ url: `${base}/${name}/feed`, language })),
    clockUrl: `${base}/clock/feed`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function documentAt(
  path: string,
  feeds: readonly DemoFeed[],
  base: string,
  startedMs: number,
): Promise<DemoDocument | null> {
  const [name = '', place = ''] = path.split('/').filter(Boolean);
  if (name === 'clock') {
    return place === 'feed'
      ? { body: clock(base, startedMs, Date.now()), type: FEED_TYPES.rss }
      : { body: 'The clock has no pages.', type: 'text/plain' };
  }
  const feed = feeds.find((one) => one.name === name);
  if (feed === undefined) {
    return null;
  }
  if (place === 'feed') {
    return { body: writeFeed(feed, base, startedMs), type: FEED_TYPES[feed.format] };
  }
  if (place === 'icon.png') {
    return { body: await drawIcon(feed.hue), type: 'image/png' };
  }
  const [, slug, ending] = /^([\w-]+)(?:\.(jpg|wav))?$/.exec(place) ?? [];
  const item = feed.items.find((one) => one.slug === slug);
  if (ending === 'jpg' && item?.scene !== undefined) {
    return { body: await drawScene(item.scene, feed.hue, name + slug), type: 'image/jpeg' };
  }
  if (ending === 'wav' && item?.sound !== undefined) {
    return { body: writeSound(item.sound), type: 'audio/wav' };
  }
  const isPage = place === '' || (item !== undefined && ending === undefined);
  return isPage ? { body: writePage(feed, slug, base), type: 'text/html; charset=utf-8' } : null;
}

/** Answers whole documents, unchanged ones with 304, and one range, which players request. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  document: DemoDocument | null,
): void {
  if (document === null) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found in the demo.');
    return;
  }
  const bytes = Buffer.from(document.body);
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  const headers = { 'content-type': document.type, 'accept-ranges': 'bytes', etag };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const from = Number(first ?? 0);
  const to = last ? Math.min(Number(last), bytes.length - 1) : bytes.length - 1;
  if (first === undefined || from > to) {
    response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
    return;
  }
  const part = bytes.subarray(from, to + 1);
  response
    .writeHead(206, {
      ...headers,
      'content-length': part.length,
      'content-range': `bytes ${from}-${to}/${bytes.length}`,
    })
    .end(part);
}

/**
 * A feed with a new entry every minute since the start, to show updates. Dated a day earlier, so that it
 * is not on top of the other articles.
 */
function clock(base: string, startedMs: number, nowMs: number): string {
  const [first, minute] = [startedMs, nowMs].map((ms) => Math.floor(ms / MINUTE_MS));
  const count = Math.min(CLOCK_ENTRIES, Number(minute) - Number(first) + 1);
  const entries = Array.from({ length: count }, (_, n) => Number(minute) - n).map((n) => {
    const time = new Date(n * MINUTE_MS - DAY_MS);
    const shown = time.toISOString().slice(11, 16);
    return `<item><title>It was ${shown} UTC</title><guid isPermaLink="false">minute-${n}</guid>
      <link>${base}/clock/${n}</link><author>clock@demo.invalid (The clock)</author>
      <pubDate>${time.toUTCString()}</pubDate><description>A day ago, to the minute.</description></item>`;
  });
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>The clock</title>
    <link>${base}/clock</link><description>One entry a minute.</description>
    ${entries.join('\n')}</channel></rss>`;
}
