import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { OutgoingHttpError, type OutgoingFailure } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp, type OutgoingAnswer } from '../../../common/http/outgoing-http.js';
import { UnreadableDocument } from '../../feed-parser/parsed-feed.js';
import { openProcess } from '../../feed-parser/pool/reader-handle.js';
import { ReadingPool, type ReadingPoolOptions } from '../../feed-parser/pool/reading-pool.js';
import { readRetryAfter } from '../fetch/caching-headers.js';
import type { ExtractedArticle } from './extract-article.js';

export type FetchedArticle =
  | { readonly outcome: 'article'; readonly article: ExtractedArticle }
  | {
      readonly outcome: 'failed';
      /** Message for the log; contains only the host of the address. */
      readonly message: string;
      /** Whether a retry may succeed. */
      readonly retryable: boolean;
      /** 429 of a host that is not allow-listed. */
      readonly rateLimited: boolean;
      /** From the Retry-After header. */
      readonly retryAfterSeconds: number | null;
    };

const LARGEST_PAGE_BYTES = 2 * 1024 * 1024;
const TIMEOUT_SECONDS = 30;

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
export class ArticleReadingPool extends ReadingPool<ExtractedArticle> {
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
      const answer = await this.outgoing.request({
        url,
        headers: { accept: 'text/html, application/xhtml+xml;q=0.9' },
        timeoutSeconds: TIMEOUT_SECONDS,
        maxWireBytes: LARGEST_PAGE_BYTES,
        maxDecodedBytes: LARGEST_PAGE_BYTES,
        ...(signal && { signal }),
      });
      return await this.#read(answer);
    } catch (error) {
      if (error instanceof UnreadableDocument) {
        return failed(error.message, false);
      }
      if (error instanceof OutgoingHttpError) {
        return failed(error.message, !PERMANENT.has(error.failure));
      }
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  async #read(answer: OutgoingAnswer): Promise<FetchedArticle> {
    const { status, headers, body, url, allowListed } = answer;
    const { host } = new URL(url);
    if (status !== 200 && status !== 203) {
      const retryable = status >= 500 || TRANSIENT.has(status);
      return {
        ...failed(`The server at ${host} answered with status ${status}.`, retryable),
        rateLimited: status === 429 && !allowListed,
        retryAfterSeconds: readRetryAfter(headers, this.clock.nowSeconds()),
      };
    }
    const contentType = headers['content-type'] ?? null;
    if (contentType !== null && !/^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) {
      return failed(`${host} sent a document that is not a web page.`, false);
    }
    const ownOrigin = new URL(this.publicAddress.root).origin;
    const article = await this.pool.read({ bytes: body, contentType, url, ownOrigin });
    return { outcome: 'article', article };
  }
}

function failed(message: string, retryable: boolean): FetchedArticle & { outcome: 'failed' } {
  return { outcome: 'failed', message, retryable, rateLimited: false, retryAfterSeconds: null };
}
