import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { OutgoingHttpError, type OutgoingFailure } from '../../common/http/outgoing-errors.js';
import { OutgoingHttp, type OutgoingAnswer } from '../../common/http/outgoing-http.js';
import { PublicAddress } from '../../common/http/public-address.js';
import { readRetryAfter } from '../sources/fetch/caching-headers.js';
import { ArticleReadingPool } from './article-reading-pool.js';
import type { ExtractedArticle } from './extract-article.js';
import { UnreadableDocument } from '../feed-parser/unreadable-document.js';

export type FetchedArticle =
  | { readonly outcome: 'article'; readonly article: ExtractedArticle }
  | {
      readonly outcome: 'failed';
      /** Fit to be logged: names the host only. */
      readonly message: string;
      /** Whether asking again later may help. */
      readonly mayPass: boolean;
      /** The host, none of one's own network, wants to be called less often. */
      readonly rateLimited: boolean;
      /** What the server asked for; null when it asked for nothing. */
      readonly retryAfterSeconds: number | null;
    };

const LARGEST_PAGE_BYTES = 2 * 1024 * 1024;
const TIMEOUT_SECONDS = 30;

/** Failures that asking again does not mend. */
const LASTING = new Set<OutgoingFailure>(['not-allowed', 'too-large', 'too-many-redirects']);

/** Statuses that say "not now" rather than "no". */
const PASSING = new Set([408, 425, 429]);

/** From the address of an article to its text. Whatever goes wrong out there is an outcome. */
@Injectable()
export class ArticleFetcher {
  constructor(
    private readonly clock: Clock,
    private readonly outgoing: OutgoingHttp,
    private readonly pool: ArticleReadingPool,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** @throws only the reason of `signal`, and what is no fault of the publisher */
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
        return failed(error.message, !LASTING.has(error.failure));
      }
      throw error;
    }
  }

  async #read(answer: OutgoingAnswer): Promise<FetchedArticle> {
    const { status, headers, body, url, allowListed } = answer;
    const { host } = new URL(url);
    if (status !== 200 && status !== 203) {
      const mayPass = status >= 500 || PASSING.has(status);
      return {
        ...failed(`The server at ${host} answered with status ${status}.`, mayPass),
        rateLimited: status === 429 && !allowListed,
        retryAfterSeconds: readRetryAfter(headers, this.clock.nowSeconds()),
      };
    }
    const contentType = headers['content-type'] ?? null;
    if (contentType !== null && !/^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) {
      return failed(`${host} answered with something that is no web page.`, false);
    }
    const ownOrigin = new URL(this.publicAddress.root).origin;
    const article = await this.pool.read({ bytes: body, contentType, url, ownOrigin });
    return { outcome: 'article', article };
  }
}

function failed(message: string, mayPass: boolean): FetchedArticle & { outcome: 'failed' } {
  return { outcome: 'failed', message, mayPass, rateLimited: false, retryAfterSeconds: null };
}
