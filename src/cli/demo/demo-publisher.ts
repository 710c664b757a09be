import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local web server for the sample feeds in `demo/feeds`. */
interface DemoPublisher {
  readonly feedUrls: readonly string[];
  /** Address of a feed with a new entry every minute. */
  readonly clockUrl: string;
  close(): Promise<void>;
}

const FEEDS = new Map([
  ['harbour-log.xml', 'application/rss+xml; charset=utf-8'],
  ['allotment.xml', 'application/atom+xml; charset=utf-8'],
  ['listening-room.json', 'application/feed+json; charset=utf-8'],
]);

const CLOCK_ENTRIES = 5;
const MINUTE_MS = 60_000;

export async function startDemoPublisher(): Promise<DemoPublisher> {
  const server = http.createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  return {
    feedUrls: [...FEEDS.keys()].map((name) => `${base}/${name}`),
    clockUrl: `${base}/clock.xml`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = (request.url ?? '/').slice(1);
  const base = `http://${request.headers.host ?? ''}`;
  const document = await documentNamed(name, base);
  if (document === null) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found in the demo.');
    return;
  }
  const etag = `"${createHash('sha256').update(document.text).digest('hex').slice(0, 16)}"`;
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  response.writeHead(200, { 'content-type': document.type, etag }).end(document.text);
}

async function documentNamed(
  name: string,
  base: string,
): Promise<{ text: string; type: string } | null> {
  if (name === 'clock.xml') {
    return { text: clock(base, Date.now()), type: 'application/rss+xml; charset=utf-8' };
  }
  const type = FEEDS.get(name);
  if (type === undefined) {
    return null;
  }
  const file = new URL(`../../../demo/feeds/${name}`, import.meta.url);
  return { text: (await readFile(file, 'utf8')).replaceAll('BASE', base), type };
}

/** A feed with a new entry every minute, to show updates. */
function clock(base: string, nowMs: number): string {
  const minute = Math.floor(nowMs / MINUTE_MS);
  const entries = Array.from({ length: CLOCK_ENTRIES }, (_, n) => minute - n).map((n) => {
    const time = new Date(n * MINUTE_MS);
    const shown = time.toISOString().slice(11, 16);
    return `<item><title>It is ${shown} UTC</title><guid isPermaLink="false">minute-${n}</guid>
      <link>${base}/clock/${n}</link><author>clock@demo.invalid (The clock)</author>
      <pubDate>${time.toUTCString()}</pubDate><description>Another minute.</description></item>`;
  });
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>The clock</title>
    <link>${base}/clock</link><description>One entry a minute.</description>
    ${entries.join('\n')}</channel></rss>`;
}
