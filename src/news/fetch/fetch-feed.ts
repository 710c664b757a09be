import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { OutgoingHttp } from '../../common/http/outgoing-http.js';
import type { CachingHeaders } from './caching-headers.js';
import { discoverFeeds, looksLikeHtml } from './discover-feed.js';
import { downloadFeed, type DownloadedDocument, type DownloadFailure } from './download-feed.js';
import type { ParsedFeed } from './parsed-feed.js';
import { FeedReadingPool } from './read/feed-reading-pool.js';
import { UnreadableDocument } from './read/unreadable-document.js';

/** What is known of a document from its last fetch; nulls for the first. */
export interface KnownDocument {
  /** May hold a user name and password. */
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly bodyHash: Buffer | null;
}

export interface DocumentValidators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

interface FetchAnswer {
  /** Null when there was no answer to have them. */
  readonly caching: CachingHeaders | null;
  /** Whether the server is reachable only because the operator listed its address. */
  readonly allowListed: boolean;
}

export type FetchedFeed = FetchAnswer &
  (
    | {
        readonly outcome: 'feed';
        readonly feed: ParsedFeed;
        readonly bodyHash: Buffer;
        readonly validators: DocumentValidators;
      }
    /** Validators are null when the server did not send the document again. */
    | { readonly outcome: 'unchanged'; readonly validators: DocumentValidators | null }
    | { readonly outcome: 'web-page'; readonly feedAddresses: readonly string[] }
    | {
        readonly outcome: 'failed';
        readonly kind: DownloadFailure | 'not-a-feed';
        /** Fit to be shown. */
        readonly message: string;
        readonly retryAfterSeconds: number | null;
      }
  );

/** From an address to what is in it: download, compare, read. Whatever goes wrong is an outcome. */
@Injectable()
export class FeedFetcher {
  constructor(
    private readonly clock: Clock,
    private readonly outgoing: OutgoingHttp,
    private readonly pool: FeedReadingPool,
  ) {}

  async fetch(known: KnownDocument): Promise<FetchedFeed> {
    const { url, etag, lastModified } = known;
    const nowSeconds = this.clock.nowSeconds();
    const download = await downloadFeed(this.outgoing, { url, etag, lastModified, nowSeconds });
    if (download.outcome === 'failed') {
      return { ...download, caching: null };
    }
    const { caching, allowListed } = download;
    if (download.outcome === 'not-modified') {
      return { outcome: 'unchanged', validators: null, caching, allowListed };
    }
    const validators = { etag: download.etag, lastModified: download.lastModified };
    if (known.bodyHash !== null && download.bodyHash.equals(known.bodyHash)) {
      return { outcome: 'unchanged', validators, caching, allowListed };
    }
    return this.#read(download, validators);
  }

  async #read(download: DownloadedDocument, validators: DocumentValidators): Promise<FetchedFeed> {
    const { caching, allowListed, bodyHash } = download;
    try {
      const feed = await this.pool.read(download);
      return { outcome: 'feed', feed, bodyHash, validators, caching, allowListed };
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) {
        throw error;
      }
      if (looksLikeHtml(download.bytes, download.contentType)) {
        const feedAddresses = discoverFeeds(download.bytes, download.url);
        return { outcome: 'web-page', feedAddresses, caching, allowListed };
      }
      const { message } = error;
      return {
        outcome: 'failed',
        kind: 'not-a-feed',
        message,
        retryAfterSeconds: null,
        caching,
        allowListed,
      };
    }
  }
}
