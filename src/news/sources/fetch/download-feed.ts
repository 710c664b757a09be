import { createHash } from 'node:crypto';
import { OutgoingHttpError, type OutgoingFailure } from '../../../common/http/outgoing-errors.js';
import type { OutgoingAnswer, OutgoingHttp, Redirect } from '../../../common/http/outgoing-http.js';
import { readCachingHeaders, readRetryAfter, type CachingHeaders } from './caching-headers.js';
import { documentBase } from './document-base.js';
import { describeStatus } from './fetch-errors.js';
import { hubOfLinkHeader, type WebSubHub } from '../../websub/link-header.js';

export interface FeedRequest {
  /** May hold a user name and password. */
  readonly url: string;
  /** The validators of the last document, exactly as they were received with it. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  /** Unix seconds. */
  readonly nowSeconds: number;
  /** Default 30, for everything together. */
  readonly timeoutSeconds?: number;
  /** Default 5 MiB. */
  readonly maxWireBytes?: number;
  /** Default 10 MiB. */
  readonly maxDecodedBytes?: number;
  readonly signal?: AbortSignal;
}

export type FeedDownload = DownloadedDocument | UnchangedDocument | FailedDownload;

interface ServerAnswer {
  /** Where the answer came from in the end, without credentials. */
  readonly url: string;
  readonly status: number;
  /** The way there, without credentials. */
  readonly redirects: readonly Redirect[];
  /** The address that permanent redirects led to, credentials included while they hold there. */
  readonly permanentRedirectTo: string | null;
  readonly caching: CachingHeaders;
  /** WebSub hub and topic of the `Link` header. */
  readonly hub: WebSubHub | null;
  /** Whether the server is reachable only because the operator listed its address. */
  readonly allowListed: boolean;
  readonly durationMs: number;
}

export interface DownloadedDocument extends ServerAnswer {
  readonly outcome: 'document';
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  /** What relative addresses in the document are resolved against. */
  readonly base: string;
  /** Both from this very answer, to be stored as a pair: an absent one replaces an older one. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** sha256 of `bytes`. Equal to that of the last document: nothing changed. */
  readonly bodyHash: Buffer;
}

export interface UnchangedDocument extends ServerAnswer {
  readonly outcome: 'not-modified';
}

/** `gone` is 410, `rate-limited` 429, `http` every other status that brings no document. */
export type DownloadFailure = 'gone' | 'rate-limited' | 'http' | OutgoingFailure;

export interface FailedDownload {
  readonly outcome: 'failed';
  readonly kind: DownloadFailure;
  /** For the person who subscribed; holds no part of the address but the server. */
  readonly message: string;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** What the server asked for, at most 7 days; null when it asked for nothing. */
  readonly retryAfterSeconds: number | null;
  readonly redirects: readonly Redirect[];
  readonly allowListed: boolean;
  readonly durationMs: number;
}

const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, ' +
  'application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, text/html;q=0.5, */*;q=0.1';

/**
 * Asks a publisher for a feed, unless it is unchanged since the given validators. Whatever goes
 * wrong out there is an outcome, not an exception.
 *
 * @throws only the reason of `signal`
 */
export async function downloadFeed(
  outgoing: OutgoingHttp,
  request: FeedRequest,
): Promise<FeedDownload> {
  const { url, etag, lastModified, ...limits } = request;
  const startedAt = performance.now();
  const validators = {
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && { 'if-modified-since': lastModified }),
  };
  try {
    const answer = await outgoing.request({
      ...limits,
      url,
      headers: { accept: ACCEPT, ...validators },
    });
    return readAnswer(answer, request);
  } catch (error) {
    if (!(error instanceof OutgoingHttpError)) {
      throw error;
    }
    return {
      outcome: 'failed',
      kind: error.failure,
      message: error.message,
      status: null,
      retryAfterSeconds: null,
      redirects: [],
      allowListed: false,
      durationMs: Math.round(performance.now() - startedAt),
    };
  }
}

function readAnswer(answer: OutgoingAnswer, request: FeedRequest): FeedDownload {
  const { status, headers, body, url, redirects, allowListed, durationMs } = answer;
  const fromServer: ServerAnswer = {
    url,
    status,
    redirects,
    hub: hubOfLinkHeader(headers.link, url),
    permanentRedirectTo: permanentRedirectTo(answer, request.url),
    caching: readCachingHeaders(headers, request.nowSeconds),
    allowListed,
    durationMs,
  };
  if (status === 304 && (request.etag || request.lastModified)) {
    return { outcome: 'not-modified', ...fromServer };
  }
  // Other successes, 202 and 206 among them, do not bring the whole document.
  if (status !== 200 && status !== 203) {
    return failedWith(answer, request.nowSeconds);
  }
  return {
    outcome: 'document',
    ...fromServer,
    bytes: body,
    contentType: headers['content-type'] ?? null,
    base: documentBase(headers['content-location'], url),
    etag: headers.etag ?? null,
    lastModified: headers['last-modified'] ?? null,
    bodyHash: createHash('sha256').update(body).digest(),
  };
}

function failedWith(answer: OutgoingAnswer, nowSeconds: number): FailedDownload {
  const { status, headers, url, redirects, allowListed, durationMs } = answer;
  return {
    outcome: 'failed',
    kind: FAILURE_OF_STATUS.get(status) ?? 'http',
    message: describeStatus(new URL(url).host, status),
    status,
    retryAfterSeconds: readRetryAfter(headers, nowSeconds),
    redirects,
    allowListed,
    durationMs,
  };
}

const FAILURE_OF_STATUS = new Map<number, DownloadFailure>([
  [410, 'gone'],
  [429, 'rate-limited'],
]);

/** Only the unbroken run of permanent redirects from the start moves a feed. */
function permanentRedirectTo(answer: OutgoingAnswer, requested: string): string | null {
  const temporary = answer.redirects.findIndex(({ status }) => status !== 301 && status !== 308);
  const permanent = temporary === -1 ? answer.redirects : answer.redirects.slice(0, temporary);
  const last = permanent.at(-1);
  if (!last) {
    return null;
  }

  const original = new URL(requested);
  const target = new URL(last.to);
  if (permanent.every(({ to }) => new URL(to).origin === original.origin)) {
    target.username = original.username;
    target.password = original.password;
  }
  return target.href;
}
