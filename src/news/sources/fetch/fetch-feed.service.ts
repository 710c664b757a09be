import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { setImmediate as everybodyElse } from 'node:timers/promises';
import { Histogram } from 'prom-client';
import { Clock } from '../../../common/clock.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import { traced } from '../../../common/tracing/spans.js';
import { MIB } from '../../../common/units.js';
import type { ItemRule } from '../../feed-parser/items/item-identity.js';
import { type ParsedFeed, UnreadableDocument } from '../../feed-parser/parsed-feed.js';
import { FeedReadingPool } from '../../feed-parser/pool/reading-pool.js';
import { endOf, type ClientCertificate } from '../access/client-certificate.js';
import { FeedAccessBox } from '../access/feed-access.service.js';
import { SourcesSettings } from '../sources.settings.js';
import type { CachingHeaders } from './caching-headers.js';
import { discoverFeeds, looksLikeHtml, type PageFeeds } from './discover-feed.js';
import {
  describeBotWall,
  downloadFeed,
  type DownloadedDocument,
  type DownloadFailure,
  type UnchangedDocument,
} from './download-feed.js';
import type { WebSubHub } from './link-tags.js';

/** A server's validators of a document, for conditional requests. */
export interface DocumentValidators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A document as its last fetch left it. */
export interface KnownDocument extends DocumentValidators {
  /** May hold a user name and password. */
  readonly url: string;
  readonly bodyHash: Buffer | null;
  /** Headers of its own, sealed by `FeedAccessBox`. */
  readonly access: Buffer | null;
  readonly itemRule: ItemRule;
}

/** Validators of a document that was never fetched. */
export const FIRST_FETCH = {
  etag: null,
  lastModified: null,
  bodyHash: null,
  access: null,
  itemRule: 'automatic',
} as const;

/** A document that could not be read, for the history. */
export interface RefusedDocument {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
}

interface FetchAnswer extends Pick<
  UnchangedDocument,
  'durationMs' | 'redirects' | 'permanentRedirectTo' | 'allowListed'
> {
  /** Null without a response, like `caching`. */
  readonly status: number | null;
  readonly caching: CachingHeaders | null;
  readonly contentType: string | null;
  /** Decoded bytes of the document; 0 without one. */
  readonly bytes: number;
  /** From the Link header or the document. */
  readonly hub: WebSubHub | null;
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
    | {
        readonly outcome: 'web-page';
        readonly page: PageFeeds;
        readonly document: RefusedDocument;
      }
    | {
        readonly outcome: 'failed';
        readonly kind: DownloadFailure | 'not-a-feed';
        /** May be shown to users. */
        readonly message: string;
        readonly retryAfterSeconds: number | null;
        readonly document: RefusedDocument | null;
      }
  );

const FETCH_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Downloads a feed, compares it with the last document, parses it. Failures are outcomes. */
@Injectable()
export class FeedFetcher implements OnApplicationShutdown {
  readonly #times = new Histogram({
    name: 'gatefold_fetch_seconds',
    help: 'Time of a fetch of a feed, reading included, by outcome or kind of failure.',
    labelNames: ['outcome'],
    buckets: FETCH_BUCKETS_SECONDS,
    registers: [],
  });

  constructor(
    private readonly clock: Clock,
    private readonly outgoing: OutgoingHttp,
    private readonly pool: FeedReadingPool,
    private readonly publicAddress: PublicAddress,
    private readonly accessBox: FeedAccessBox,
    private readonly settings: SourcesSettings,
    { registry }: Metrics,
  ) {
    registry.registerMetric(this.#times);
  }

  /**
   * @param beforeBody awaited before a document is read
   * @throws the reason of `signal`, and errors that the publisher did not cause
   */
  async fetch(
    known: KnownDocument,
    signal?: AbortSignal,
    beforeBody?: (signal: AbortSignal) => Promise<void>,
  ): Promise<FetchedFeed> {
    const begunAt = performance.now();
    const fetched = await traced('fetch feed', {}, () => this.#fetch(known, signal, beforeBody));
    const outcome = fetched.outcome === 'failed' ? fetched.kind : fetched.outcome;
    this.#times.observe({ outcome }, (performance.now() - begunAt) / 1000);
    return fetched;
  }

  async #fetch(
    known: KnownDocument,
    signal?: AbortSignal,
    beforeBody?: (signal: AbortSignal) => Promise<void>,
  ): Promise<FetchedFeed> {
    const { url, etag, lastModified, access } = known;
    const opened = this.accessBox.open(url, access);
    const refusal = refusalOfCertificate(url, opened.certificate, this.clock.now());
    if (refusal !== null) {
      return { ...brokenFetch(refusal, null), kind: 'not-allowed' };
    }
    const nowSeconds = this.clock.nowSeconds();
    const sent = this.accessBox.sentWith(opened);
    const request = { url, ...sent, etag, lastModified, nowSeconds, signal, beforeBody };
    const download = await downloadFeed(this.outgoing, {
      ...request,
      maxWireBytes: this.settings.fetchTransferMib * MIB,
      maxDecodedBytes: this.settings.fetchDocumentMib * MIB,
    });
    if (download.outcome === 'failed') {
      return { ...NOTHING_SENT, ...download, caching: null, document: null };
    }
    const answer = answerOf(download);
    if (download.outcome === 'not-modified') {
      return { ...answer, outcome: 'unchanged', validators: null };
    }
    // The next fetch of a cut document has to bring it again, not "not modified".
    const validators = download.isCut
      ? NO_VALIDATORS
      : { etag: download.etag, lastModified: download.lastModified };
    if (known.bodyHash !== null && download.bodyHash.equals(known.bodyHash)) {
      return { ...answer, outcome: 'unchanged', validators };
    }
    await everybodyElse();
    return this.#read(download, answer, validators, known.itemRule);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  async #read(
    download: DownloadedDocument,
    answer: FetchAnswer,
    validators: DocumentValidators,
    rule: ItemRule,
  ): Promise<FetchedFeed> {
    const { bytes, isCut, headers, contentType, base, bodyHash } = download;
    const ownOrigin = new URL(this.publicAddress.root).origin;
    try {
      const read = await this.pool.read({ bytes, contentType, url: base, ownOrigin, rule });
      const feed = read.cut && isCut ? { ...read, warning: describeBeginning(bytes) } : read;
      const hub = hubOf(feed, download.url) ?? answer.hub;
      return {
        ...answer,
        outcome: 'feed',
        feed,
        bodyHash,
        validators: feed.cut ? NO_VALIDATORS : validators,
        hub,
      };
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) {
        throw error;
      }
      const document = { bytes, contentType };
      const page = looksLikeHtml(bytes, contentType)
        ? await discoverFeeds(bytes, download.url, headers.link)
        : null;
      const wall = page?.guesses.length ? describeBotWall(download.url, headers, bytes) : null;
      if (page !== null && wall === null) {
        return { ...answer, outcome: 'web-page', page, document };
      }
      return {
        ...answer,
        outcome: 'failed',
        kind: 'not-a-feed',
        message: wall ?? error.message,
        retryAfterSeconds: null,
        document,
      };
    }
  }
}

/** A certificate is never tried in vain; null without a fault. */
function refusalOfCertificate(
  url: string,
  certificate: ClientCertificate | null,
  now: Date,
): string | null {
  if (certificate === null) {
    return null;
  }
  if (!url.startsWith('https:')) {
    return 'A client certificate needs an address that begins with https://.';
  }
  const ends = endOf(certificate);
  return ends > now
    ? null
    : `The client certificate of this feed ended on ${ends.toISOString().slice(0, 10)}; enter a new one in the settings of the feed.`;
}

function describeBeginning({ length }: Uint8Array): string {
  return (
    `The document is too large, so only its first ${Math.round(length / MIB)} MiB were read ` +
    '(GATEFOLD_FETCH_TRANSFER_MIB, GATEFOLD_FETCH_DOCUMENT_MIB); if it lists the oldest items first, ' +
    'new ones are not seen.'
  );
}

const NO_VALIDATORS: DocumentValidators = { etag: null, lastModified: null };

/**
 * A failed fetch, for an exception of our own while a feed was fetched or written.
 *
 * @param fetched null without a response
 */
export function brokenFetch(
  message: string,
  fetched: FetchedFeed | null,
): FetchedFeed & { outcome: 'failed' } {
  return {
    ...NOTHING_SENT,
    status: fetched?.status ?? null,
    bytes: fetched?.bytes ?? 0,
    durationMs: fetched?.durationMs ?? 0,
    caching: null,
    redirects: [],
    allowListed: false,
    outcome: 'failed',
    kind: 'unreadable',
    message,
    retryAfterSeconds: null,
    document: null,
  };
}

const NOTHING_SENT = { bytes: 0, contentType: null, permanentRedirectTo: null, hub: null } as const;

function answerOf(download: DownloadedDocument | UnchangedDocument): FetchAnswer {
  const { status, caching, durationMs, redirects, permanentRedirectTo, hub, allowListed } =
    download;
  const isDocument = download.outcome === 'document';
  return {
    status,
    caching,
    contentType: isDocument ? download.contentType : null,
    bytes: isDocument ? download.bytes.length : 0,
    durationMs,
    redirects,
    permanentRedirectTo,
    hub,
    allowListed,
  };
}

function hubOf({ publishing }: ParsedFeed, url: string): WebSubHub | null {
  const { hubUrl, selfUrl } = publishing;
  return hubUrl === null ? null : { hubUrl, topicUrl: selfUrl ?? url };
}
