import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { OutgoingHttpError, type OutgoingFailure } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp, type OutgoingAnswer } from '../../../common/http/outgoing-http.js';
import { MIB } from '../../../common/units.js';
import { UnreadableDocument } from '../../feed-parser/parsed-feed.js';
import { openProcess } from '../../feed-parser/pool/reader-handle.js';
import { ReadingPool, type ReadingPoolOptions } from '../../feed-parser/pool/reading-pool.js';
import { readRetryAfter } from '../fetch/caching-headers.js';
import { looksLikeHtml } from '../fetch/discover-feed.js';
import type { ExtractedArticle, ReadPage } from './extract-article.js';
import type { PageAbout } from './page-about.js';

/** Why a page has no article. */
export interface PageFailure {
  /** Message for the log, and for people; contains only the host of the address. */
  readonly message: string;
  /** Whether a retry may succeed. */
  readonly retryable: boolean;
  /** 429 of a host that is not allow-listed. */
  readonly rateLimited: boolean;
  /** From the Retry-After header. */
  readonly retryAfterSeconds: number | null;
}

export type FetchedArticle =
  | { readonly outcome: 'article'; readonly article: ExtractedArticle }
  | ({ readonly outcome: 'failed' } & PageFailure);

/** A page as far as it could be read. */
export interface SeenPage {
  /** After redirects. */
  readonly url: string;
  /** In lower case, without parameters; empty if it is unknown. */
  readonly mime: string;
  readonly status: number;
  /** Null for other documents than web pages, and for error pages. */
  readonly about: PageAbout | null;
  readonly article: ExtractedArticle | null;
  /** Null if there is an article. */
  readonly failure: PageFailure | null;
}

const LARGEST_PAGE_BYTES = 2 * MIB;
const TIMEOUT_SECONDS = 30;
/** Of pages that are too large, or too dangerous, to be read as a whole. */
const HEAD_BYTES = 64 * 1024;

const WEB_PAGE = /^(?:text\/html|application\/xhtml\+xml)$/;
/** Servers that do not know a type say these. */
const UNKNOWN_TYPE = /^(?:|text\/plain|application\/(?:octet-stream|xml)|binary\/octet-stream)$/;

/** Failures that a retry does not change. */
const PERMANENT = new Set<OutgoingFailure>(['not-allowed', 'too-large', 'too-many-redirects']);

/** Client errors that a retry may change. */
const TRANSIENT = new Set([408, 425, 429]);

/** The compiled worker for compiled code, otherwise its TypeScript source. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts')
    ? './extract-article.worker.from-source.mjs'
    : './extract-article.worker.js',
  import.meta.url,
);

/**
 * Extracts articles in a child process: with a hostile page the DOM grows faster than a thread can be
 * stopped. One page at a time, in a separate pool so that feeds do not wait for pages.
 */
export class ArticleReadingPool extends ReadingPool<ReadPage> {
  constructor(options: ReadingPoolOptions = {}) {
    super(WORKER, { size: 1, maxOldGenerationMb: 256, idleSeconds: 60, ...options }, openProcess);
  }
}

/** Fetches the page of an article and extracts its text. Failures are outcomes. */
@Injectable()
export class ArticleFetcher implements OnApplicationShutdown {
  constructor(
    private readonly clock: Clock,
    private readonly outgoing: OutgoingHttp,
    private readonly pool: ArticleReadingPool,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** @throws the reason of `signal`, and errors that the publisher did not cause */
  async fetch(url: string, signal?: AbortSignal): Promise<FetchedArticle> {
    try {
      const { article, failure } = await this.look(url, TIMEOUT_SECONDS, signal);
      return article === null
        ? { outcome: 'failed', ...(failure ?? failureOf('', false)) }
        : { outcome: 'article', article };
    } catch (error) {
      if (error instanceof OutgoingHttpError) {
        const retryable = !PERMANENT.has(error.failure);
        return { outcome: 'failed', ...failureOf(error.message, retryable) };
      }
      throw error;
    }
  }

  /**
   * Fetches a page, and reads what it says about itself even if it has no article.
   *
   * @throws OutgoingHttpError without an answer
   * @throws the reason of `signal`, and errors that the publisher did not cause
   */
  async look(url: string, timeoutSeconds: number, signal?: AbortSignal): Promise<SeenPage> {
    const answer = await this.outgoing.request({
      url,
      headers: { accept: 'text/html, application/xhtml+xml;q=0.9' },
      timeoutSeconds,
      maxWireBytes: LARGEST_PAGE_BYTES,
      maxDecodedBytes: LARGEST_PAGE_BYTES,
      isLenient: true,
      ...(signal && { signal }),
    });
    const { status, headers, body } = answer;
    const { host } = new URL(answer.url);
    const mime = isPdf(body) ? 'application/pdf' : mimeOf(headers['content-type']);
    const seen = { url: answer.url, mime, about: null, article: null };
    if (status !== 200 && status !== 203) {
      const retryable = status >= 500 || TRANSIENT.has(status);
      const failure = {
        ...failureOf(`The server at ${host} answered with status ${status}.`, retryable),
        rateLimited: status === 429 && !answer.allowListed,
        retryAfterSeconds: readRetryAfter(headers, this.clock.nowSeconds()),
      };
      return { ...seen, status, failure };
    }
    const isPage = WEB_PAGE.test(mime) || (UNKNOWN_TYPE.test(mime) && looksLikeHtml(body, null));
    if (!isPage) {
      const failure = failureOf(`${host} sent a document that is not a web page.`, false);
      return { ...seen, status, failure };
    }
    return { ...seen, status, ...(await this.#read(answer)) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  async #read(answer: OutgoingAnswer): Promise<Pick<SeenPage, 'about' | 'article' | 'failure'>> {
    const { body, isCut, url } = answer;
    const ownOrigin = new URL(this.publicAddress.root).origin;
    const contentType = answer.headers['content-type'] ?? null;
    const read = (bytes: Uint8Array) => this.pool.read({ bytes, contentType, url, ownOrigin });
    const headAlone = async (problem: string) => {
      const { about } = await read(body.subarray(0, HEAD_BYTES)).catch((error: unknown) => {
        if (error instanceof UnreadableDocument) {
          return { about: null };
        }
        throw error;
      });
      return { about, article: null, failure: failureOf(problem, false) };
    };
    if (isCut) {
      const { host } = new URL(url);
      return headAlone(`The server at ${host} sent more than ${LARGEST_PAGE_BYTES / MIB} MiB.`);
    }
    try {
      const { about, article, problem } = await read(body);
      return { about, article, failure: problem === null ? null : failureOf(problem, false) };
    } catch (error) {
      if (error instanceof UnreadableDocument) {
        return headAlone(error.message);
      }
      throw error;
    }
  }
}

const isPdf = (body: Uint8Array) => Buffer.from(body.subarray(0, 5)).toString('latin1') === '%PDF-';

const mimeOf = (contentType = '') => (contentType.split(';')[0] ?? '').trim().toLowerCase();

function failureOf(message: string, retryable: boolean): PageFailure {
  return { message, retryable, rateLimited: false, retryAfterSeconds: null };
}
