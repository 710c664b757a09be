import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { within } from './until.js';

export interface PublishOptions {
  /** Default `application/rss+xml; charset=utf-8`; null sends none. */
  readonly contentType?: string | null;
  /** With quotes, as sent: `"v1"` or `W/"v1"`. */
  readonly etag?: string;
  readonly lastModified?: string | Date;
  /** Default 200. Conditional requests are answered with 304 only for a 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The answer waits until this settles. */
  readonly delayUntil?: Promise<unknown>;
  /** Requests without this header are answered with 401. */
  readonly authorization?: string;
}

export interface RecordedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly at: Date;
}

/** A publisher's web server on a free local port. */
export interface FeedServer {
  readonly port: number;
  /** The absolute URL of a path, for instance `/feed.xml`. */
  url(path: string): string;
  /** Publishes a document at a path; overwrites the previous one. */
  publish(path: string, document: string | Buffer, options?: PublishOptions): void;
  /** Redirects a path. `to` may be a path of this server or any URL. */
  redirect(path: string, to: string, status?: 301 | 302 | 303 | 307 | 308): void;
  /** Answers with an error status, for instance 429 with `{ 'Retry-After': '120' }`. */
  fail(path: string, status: number, headers?: Readonly<Record<string, string>>): void;
  /** Accepts the request and cuts the connection without an answer. */
  drop(path: string): void;
  /**
   * Accepts the request and sends nothing until the returned function is called; then answers 503.
   */
  hang(path: string): () => void;
  /** Removes a path; it answers 404 again. */
  remove(path: string): void;
  /** Requests for a path in the order of their arrival, with or without a query. */
  requests(path: string): readonly RecordedRequest[];
  /** Resolves as soon as a path has been requested at least `count` times in all. */
  whenAsked(path: string, count?: number): Promise<void>;
  close(): Promise<void>;
}

type Answer = (headers: IncomingHttpHeaders, response: ServerResponse) => Promise<void> | void;

/**
 * Starts an empty server: every path answers 404 until something is published there.
 *
 * @param at where it listens; at `0.0.0.0` it has all hosts of 127.0.0.0/8
 */
export async function startFeedServer(
  at: { readonly address?: string; readonly port?: number } = {},
): Promise<FeedServer> {
  const answers = new Map<string, Answer>();
  const recorded: (RecordedRequest & { readonly target: string })[] = [];
  const waiting = new Set<() => void>();

  const server = createServer((request, response) => {
    const target = request.url ?? '/';
    const { method = 'GET', headers } = request;
    recorded.push({ method, headers, at: new Date(), target });
    waiting.forEach((check) => check());
    const answer = answers.get(target) ?? answers.get(withoutQuery(target)) ?? notFound;
    void Promise.resolve(answer(headers, response)).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 1000;
  await new Promise<void>((resolve) =>
    server.listen(at.port ?? 0, at.address ?? '127.0.0.1', resolve),
  );
  const { port } = server.address() as AddressInfo;

  const requests = (path: string): RecordedRequest[] =>
    recorded
      .filter(({ target }) => target === path || withoutQuery(target) === path)
      .map(({ method, headers, at }) => ({ method, headers, at }));

  return {
    port,
    url: (path) => new URL(path, `http://127.0.0.1:${port}`).href,
    publish: (path, document, options = {}) => {
      answers.set(path, (headers, response) => sendDocument(document, options, headers, response));
    },
    redirect: (path, to, status = 302) => {
      answers.set(path, (_headers, response) => {
        response.writeHead(status, { location: to }).end();
      });
    },
    fail: (path, status, headers = {}) => {
      answers.set(path, (_headers, response) => {
        response.writeHead(status, headers).end();
      });
    },
    drop: (path) => {
      answers.set(path, (_headers, response) => {
        response.destroy();
      });
    },
    hang: (path) => {
      const released = Promise.withResolvers<void>();
      answers.set(path, async (_headers, response) => {
        await released.promise;
        response.writeHead(503).end();
      });
      return () => released.resolve();
    },
    remove: (path) => {
      answers.delete(path);
    },
    requests,
    async whenAsked(path, count = 1) {
      const asked = Promise.withResolvers<void>();
      const check = (): void => {
        if (requests(path).length >= count) {
          asked.resolve();
        }
      };
      waiting.add(check);
      check();
      try {
        await within(`request ${count} for ${path}`, asked.promise);
      } finally {
        waiting.delete(check);
      }
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

async function sendDocument(
  document: string | Buffer,
  options: PublishOptions,
  asked: IncomingHttpHeaders,
  response: ServerResponse,
): Promise<void> {
  await options.delayUntil;
  if (options.authorization !== undefined && options.authorization !== asked.authorization) {
    response.writeHead(401).end();
    return;
  }
  const { etag, status = 200, contentType = 'application/rss+xml; charset=utf-8' } = options;
  const lastModified =
    options.lastModified instanceof Date
      ? options.lastModified.toUTCString()
      : options.lastModified;

  response.setHeaders(new Map(Object.entries(options.headers ?? {})));
  if (etag !== undefined) {
    response.setHeader('ETag', etag);
  }
  if (lastModified !== undefined) {
    response.setHeader('Last-Modified', lastModified);
  }
  if (status === 200 && isUnchanged(asked, etag, lastModified)) {
    response.writeHead(304).end();
    return;
  }
  if (contentType !== null) {
    response.setHeader('Content-Type', contentType);
  }
  const bytes = Buffer.from(document);
  response.setHeader('Content-Length', bytes.length);
  response.writeHead(status).end(bytes);
}

/** RFC 9110, section 13.2.2: If-Modified-Since counts only when there is no If-None-Match. */
function isUnchanged(
  asked: IncomingHttpHeaders,
  etag: string | undefined,
  lastModified: string | undefined,
): boolean {
  const known = asked['if-none-match'];
  if (known !== undefined) {
    const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
    const listed = known.match(/(?:W\/)?"[^"]*"/g) ?? [known];
    return (
      known.trim() === '*' || (etag !== undefined && listed.map(opaque).includes(opaque(etag)))
    );
  }
  const since = asked['if-modified-since'];
  if (since === undefined || lastModified === undefined) {
    return false;
  }
  return Date.parse(lastModified) <= Date.parse(since);
}

function notFound(_headers: IncomingHttpHeaders, response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain' }).end('Nothing is published here.');
}

function withoutQuery(target: string): string {
  return target.replace(/\?.*$/, '');
}

export interface RssItem {
  readonly title: string;
  readonly guid?: string;
  readonly link?: string;
  /** HTML. */
  readonly body?: string;
  readonly pubDate?: Date | string;
  readonly author?: string;
  readonly enclosure?: { readonly url: string; readonly type: string; readonly length?: number };
  /** Additional XML inside `item`. */
  readonly xml?: string;
}

export interface RssFeed {
  readonly title: string;
  readonly link?: string;
  /** Newest first. */
  readonly items: readonly RssItem[];
  /** Additional XML inside `channel`, for instance `<ttl>60</ttl>`. The prefix `sy` is declared. */
  readonly channelXml?: string;
}

/** Writes an RSS 2.0 document. */
export function rss(feed: RssFeed): string {
  const { title, link = 'https://publisher.example/', items, channelXml = '' } = feed;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">',
    '<channel>',
    element('title', title),
    element('link', link),
    element('description', title),
    channelXml,
    ...items.map(itemXml),
    '</channel>',
    '</rss>',
    '',
  ].join('\n');
}

function itemXml(item: RssItem): string {
  const { title, guid, link, body, pubDate, author, enclosure, xml = '' } = item;
  return [
    '<item>',
    element('title', title),
    guid === undefined ? '' : `<guid isPermaLink="false">${escapeXml(guid)}</guid>`,
    element('link', link),
    element('description', body),
    element('pubDate', pubDate instanceof Date ? pubDate.toUTCString() : pubDate),
    element('dc:creator', author),
    enclosure === undefined
      ? ''
      : `<enclosure url="${escapeXml(enclosure.url)}" type="${escapeXml(enclosure.type)}" length="${enclosure.length ?? 0}"/>`,
    xml,
    '</item>',
  ].join('');
}

function element(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${escapeXml(text)}</${name}>`;
}

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => XML_ESCAPES[character] ?? character);
}
