import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { documentOf } from './farm-documents.js';
import type { FarmActivity, FarmOrder } from './feed-farm.js';

/*
 * The feed farm itself, a process of its own so that its CPU time is not counted: `/feeds/N.xml`, each
 * with an ETag. It takes orders from feed-farm.ts.
 */

let latencyMs = 0;
/** Published editions by feed; unlisted feeds have none. */
const editions = new Map<number, number>();
const startedAtMs = Date.now();
let activity: FarmActivity = noActivity();

const server = createServer((request, response) => {
  activity.firstMs ??= performance.timeOrigin + performance.now();
  setTimeout(() => answer(request, response), latencyMs);
});
server.keepAliveTimeout = 60_000;
// All of 127.0.0.0/8 is this machine: each feed can have a host of its own.
server.listen(0, '0.0.0.0', 1024, () => reply((server.address() as AddressInfo).port));

process.on('message', (order: FarmOrder) => {
  if ('latencyMs' in order) {
    latencyMs = order.latencyMs;
  } else if ('publish' in order) {
    for (const feed of order.publish) {
      editions.set(feed, (editions.get(feed) ?? 0) + 1);
    }
  } else if ('startAnew' in order) {
    editions.clear();
  } else if ('watch' in order) {
    activity = noActivity();
  }
  reply('report' in order ? activity : null);
});
process.on('disconnect', () => process.exit());

function answer(request: IncomingMessage, response: ServerResponse): void {
  const feed = /^\/feeds\/(\d+)\.xml$/.exec(request.url ?? '')?.[1];
  if (feed === undefined) {
    response.writeHead(request.url === '/' ? 200 : 404, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>The feed farm</title>');
    return;
  }
  const edition = editions.get(Number(feed)) ?? 0;
  const etag = `"${feed}-${edition}"`;
  if (request.headers['if-none-match'] === etag) {
    activity.notModified += 1;
    response.writeHead(304, { etag }).end();
  } else {
    const siteUrl = `http://${request.headers.host}`;
    const body = documentOf(Number(feed), edition, siteUrl, startedAtMs);
    activity.documents += 1;
    response.writeHead(200, { 'content-type': 'application/xml; charset=utf-8', etag });
    response.end(body);
  }
  activity.lastMs = performance.timeOrigin + performance.now();
}

function noActivity(): FarmActivity {
  return { documents: 0, notModified: 0, firstMs: undefined, lastMs: undefined };
}

function reply(message: number | FarmActivity | null): void {
  process.send?.(message === null ? {} : message);
}
