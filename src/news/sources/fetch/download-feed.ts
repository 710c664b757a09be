import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as everybodyElse } from 'node:timers/promises';
import { OutgoingHttpError, type OutgoingFailure } from '../../../common/http/outgoing-errors.js';
import type {
  OutgoingAnswer,
  OutgoingHttp,
  OutgoingRequest,
  Redirect,
} from '../../../common/http/outgoing-http.js';
import { readCachingHeaders, readRetryAfter, type CachingHeaders } from './caching-headers.js';
import { hubOfLinkHeader, type WebSubHub } from './link-tags.js';

export interface FeedRequest {
  /** May hold a user name and password. */
  readonly url: string;
  /** Headers for this feed only, such as a cookie. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly ownOfOrigin?: OutgoingRequest['ownOfOrigin'];
  /** The validators of the last document, as they were received. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  /** Unix seconds. */
  readonly nowSeconds: number;
  /** Default 30, redirects included. */
  readonly timeoutSeconds?: number;
  /** Default 5 MiB; of more the beginning is read. */
  readonly maxWireBytes?: number;
  /** Default 10 MiB; the same. */
  readonly maxDecodedBytes?: number;
  readonly signal?: AbortSignal | undefined;
  /** Awaited before a document is read. */
  readonly beforeBody?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

export type FeedDownload = DownloadedDocument | UnchangedDocument | FailedDownload;

interface ServerAnswer {
  /** Address after redirects, without credentials. */
  readonly url: string;
  readonly status: number;
  /** Redirects that were followed, without credentials. */
  readonly redirects: readonly Redirect[];
  /** Target of the permanent redirects; with credentials if it is of the same origin. */
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
  /** Only the beginning, up to the limits. */
  readonly isCut: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly contentType: string | null;
  /** Base of relative addresses in the document. */
  readonly base: string;
  /** Validators of this response, to be stored as a pair: an absent one replaces an older one. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** SHA-256 of `bytes`. */
  readonly bodyHash: Buffer;
}

export interface UnchangedDocument extends ServerAnswer {
  readonly outcome: 'not-modified';
}

/** `gone` is 410, `rate-limited` 429, `http` any other status without a document. */
export type DownloadFailure = 'gone' | 'rate-limited' | 'http' | OutgoingFailure;

export interface FailedDownload {
  readonly outcome: 'failed';
  readonly kind: DownloadFailure;
  /** May be shown to users; contains no more of the address than the host. */
  readonly message: string;
  /** Null without a response. */
  readonly status: number | null;
  /** From the Retry-After header, at most 7 days. */
  readonly retryAfterSeconds: number | null;
  readonly redirects: readonly Redirect[];
  readonly allowListed: boolean;
  readonly durationMs: number;
}

const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, ' +
  'application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, text/html;q=0.5, */*;q=0.1';

/**
 * Requests a feed, with the given validators. Failures are outcomes, not exceptions.
 *
 * @throws the reason of `signal`
 */
export async function downloadFeed(
  outgoing: OutgoingHttp,
  request: FeedRequest,
): Promise<FeedDownload> {
  const { url, headers, etag, lastModified, ...limits } = request;
  const startedAt = performance.now();
  const validators = {
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && { 'if-modified-since': lastModified }),
  };
  try {
    const answer = await outgoing.request({
      ...limits,
      isLenient: true,
      url,
      headers: { accept: ACCEPT, ...validators, ...headers },
    });
    // Joining the pieces of a large document, hashing it and copying it for its reader are three pieces.
    await everybodyElse();
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
  // Other success statuses, such as 202 and 206, do not contain the whole document.
  if (status !== 200 && status !== 203) {
    return failedWith(answer, request.nowSeconds);
  }
  return {
    outcome: 'document',
    ...fromServer,
    bytes: body,
    isCut: answer.isCut,
    headers,
    contentType: headers['content-type'] ?? null,
    base: documentBase(headers['content-location'], url),
    etag: headers.etag ?? null,
    lastModified: headers['last-modified'] ?? null,
    bodyHash: createHash('sha256').update(body).digest(),
  };
}

function failedWith(answer: OutgoingAnswer, nowSeconds: number): FailedDownload {
  const { status, headers, body, url, redirects, allowListed, durationMs } = answer;
  return {
    outcome: 'failed',
    kind: FAILURE_OF_STATUS.get(status) ?? 'http',
    message: describeBotWall(url, headers, body) ?? describeStatus(new URL(url).host, status),
    status,
    retryAfterSeconds: readRetryAfter(headers, nowSeconds),
    redirects,
    allowListed,
    durationMs,
  };
}

const STATUS_REASONS: Readonly<Record<number, string>> = {
  401: 'requires a user name and password, or rejects the given ones',
  403: 'refuses access',
  404: 'has nothing at this address',
  410: 'says that this feed is permanently gone',
  429: 'asks for fewer requests',
};

function describeStatus(host: string, status: number): string {
  const reason =
    STATUS_REASONS[status] ?? (status >= 500 ? 'has an internal problem' : 'did not send the feed');
  return `The server at ${host} ${reason} (status ${status}).`;
}

const FAILURE_OF_STATUS = new Map<number, DownloadFailure>([
  [410, 'gone'],
  [429, 'rate-limited'],
]);

/** Permanent redirects count up to the first temporary one. */
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

/** Headers by which Cloudflare, Vercel and AWS call their answer a test. */
const WALL_HEADERS = ['cf-mitigated', 'x-vercel-mitigated', 'x-amzn-waf-action'];

/**
 * Markers of test pages by Cloudflare, Anubis, DDoS-Guard, Sucuri, Imperva, AWS, DataDome and Akamai. Only
 * of test pages: some of these services put other scripts into ordinary pages.
 */
const TEST_PAGES = [
  /<title>\s*(?:just a moment\.\.\.|ddos-guard|making sure you.{1,6}re not a bot)/i,
  /_cf_chl_opt|cf-browser-verification|id="anubis_challenge"|within\.website\/x\/cmd\/anubis/i,
  /check\.ddos-guard\.net|sucuri_cloudproxy_js|sucuri website firewall - access denied/i,
  /_incapsula_resource\?[cs]wudnsai|incapsula incident id|window\.gokuprops|awswafcookiedomainlist/i,
  /\.captcha-delivery\.com|sec-if-cpt-container|\/_sec\/cp_challenge\/|errors\.edgesuite\.net/i,
];

/** The message for an answer that is a test for browsers; null for any other. */
export function describeBotWall(
  url: string,
  headers: IncomingHttpHeaders,
  document: Uint8Array,
): string | null {
  const page = Buffer.from(document.subarray(0, 256 * 1024)).toString('latin1');
  const isWall =
    WALL_HEADERS.some((name) => /challenge|captcha/i.test(String(headers[name]))) ||
    TEST_PAGES.some((mark) => mark.test(page));
  return isWall
    ? `The server at ${new URL(url).host} answered with a test for browsers (a bot wall), which Gatefold cannot pass: ` +
        'ask the publisher to let feed readers through.'
    : null;
}

/**
 * The base of relative addresses in a document: the address of the response, or its
 * `Content-Location`, unless that names a host of the publisher's internal network, as some servers
 * do.
 *
 * @param url address of the response after redirects
 */
export function documentBase(contentLocation: string | undefined, url: string): string {
  const named = contentLocation === undefined ? null : URL.parse(contentLocation.trim(), url);
  if (named === null || !/^https?:$/.test(named.protocol)) {
    return url;
  }
  const isElsewhere = named.host !== new URL(url).host;
  if (isElsewhere && !PUBLIC_NAME.test(named.hostname)) {
    return url;
  }
  named.username = '';
  named.password = '';
  return named.href;
}

/** At least two labels; the last one is neither a number nor a local domain. */
const PUBLIC_NAME = /\.(?!local$|localhost$|internal$|lan$)[a-z][a-z0-9-]*$/;
