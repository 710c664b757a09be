import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { FaviconsService } from '../favicons/favicons.service.js';
import { FeedFetcher, type FetchedFeed, type KnownDocument } from './fetch/fetch-feed.js';
import { SPREAD, nextUpdateIn, type NextUpdate } from './schedule/next-update.js';
import { movedAddress } from './moved-address.js';
import { OutageWatch } from './network-outage-detector.js';
import { explainBreakdown } from './classify-refresh-error.js';
import {
  ArticlesRepository,
  type AddressNews,
  type Completion,
  type FetchResult,
} from './articles/articles.repository.js';
import { ScheduleRepository, type Lease } from './schedule/schedule.repository.js';
import { SourcesRepository, type Source } from './sources.repository.js';
import { WebSubService } from '../websub/websub.service.js';

const MIN_INTERVAL_SECONDS = 900;
const SLEEPY_MAX_SECONDS = 86_400;

/** Enough entries to see a publisher's rhythm. */
const RHYTHM_ARTICLES = 30;

/** After so many answers that only said "not modified", the whole document is asked for once. */
const NOT_MODIFIED_BELIEVED = 30;

/** How long a host rests that asks to be called less often and does not say for how long. */
const RATE_LIMITED_SECONDS = 300;

/** While nothing can be reached, and after our own trouble: soon, yet not all at once. */
const OUR_TROUBLE_SECONDS = 60;

const UNREACHED = new Set<string>(['host-not-found', 'network', 'timeout']);

/** What counts of a source for when it is due. */
export type Visited = Pick<Source, 'id' | 'errorCount' | 'publishingHints' | 'pushed'>;

/** What a refresh came to; `message` is fit to be shown. */
export type RefreshOutcome =
  | { readonly outcome: 'updated' | 'unchanged' | 'superseded' }
  | { readonly outcome: 'failed'; readonly message: string };

/**
 * Brings one source up to date: ask the publisher, read what comes, write it down together with
 * the time of the next visit. Every way out writes that time, breakdowns of our own included; only
 * a lost lease writes nothing.
 */
@Injectable()
export class SourceRefresher {
  readonly #logger = new Logger('Feeds');
  readonly #running = new Map<number, Promise<RefreshOutcome>>();
  /** Failures that are being written down, to be awaited before any is forgiven. */
  readonly #failing = new Set<Promise<unknown>>();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly fetcher: FeedFetcher,
    private readonly sources: SourcesRepository,
    private readonly articles: ArticlesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly favicons: FaviconsService,
    private readonly outage: OutageWatch,
    private readonly webSub: WebSubService,
  ) {}

  /** Refreshes a source now, whether due or not. Requests that come together share one fetch. */
  async refreshNow(sourceId: number): Promise<RefreshOutcome> {
    const running = this.#running.get(sourceId);
    if (running !== undefined) {
      return running;
    }
    const refresh = this.#claimAndRefresh(sourceId).finally(() => this.#running.delete(sourceId));
    this.#running.set(sourceId, refresh);
    return refresh;
  }

  /**
   * Refreshes the source of a lease that somebody else took out.
   *
   * @param signal gives the fetch up; its lease is then somebody else's to return
   * @throws what the database says when it is not there
   */
  async refresh(lease: Lease, signal?: AbortSignal): Promise<RefreshOutcome> {
    const source = await this.sources.find(lease.sourceId);
    if (source === null) {
      return { outcome: 'superseded' };
    }
    try {
      const fetched = await this.fetcher.fetch(documentOf(source), signal);
      return await this.record(lease, source, fetched);
    } catch (error) {
      if (signal?.aborted) {
        return { outcome: 'superseded' };
      }
      return this.#recover(lease, error);
    }
  }

  /**
   * Writes down what a fetch brought, and when to come back.
   *
   * @throws what the database says when it is not there
   */
  async record(lease: Lease, source: Source, fetched: FetchedFeed): Promise<RefreshOutcome> {
    const reached = !(fetched.outcome === 'failed' && UNREACHED.has(fetched.kind));
    const verdict = this.outage.note({ sourceId: source.id, hostKey: lease.hostKey, reached });
    if (verdict.is === 'outage') {
      return this.#recordOutage(lease, fetched, verdict.forgiven);
    }
    await this.#heedHost(lease, fetched);

    const result = toResult(fetched);
    const address = movedAddress(source, fetched);
    const next = await this.nextUpdate(source, fetched);
    const written = this.articles
      .complete(lease, this.#completion(fetched, result, next, address))
      .catch((error: unknown) => this.#storeFailed(lease, fetched, error));
    if (!reached) {
      this.#failing.add(written);
      void written.finally(() => this.#failing.delete(written)).catch(() => {});
    }
    const ingested = await written;
    if (ingested === null) {
      return { outcome: 'superseded' };
    }
    if ('failed' in ingested) {
      return { outcome: 'failed', message: ingested.failed };
    }
    this.#tell(source, result, next, address);
    if (result.outcome === 'failed') {
      return { outcome: 'failed', message: result.message };
    }
    this.favicons.lookFor(source.id, fetched.outcome === 'feed' ? fetched.feed.iconUrl : null);
    if (fetched.outcome === 'feed') {
      // A hub could not read what needs credentials, and is not told that we can.
      const open = new URL(source.url).password === '' && new URL(source.url).username === '';
      await this.webSub.notice(source.id, open ? fetched.hub : null);
    }
    return { outcome: result.outcome === 'document' ? 'updated' : 'unchanged' };
  }

  async #claimAndRefresh(sourceId: number): Promise<RefreshOutcome> {
    const lease = await this.schedule.claim(sourceId);
    return lease === null ? { outcome: 'superseded' } : this.refresh(lease);
  }

  /** When a source is due after such a fetch. Writes nothing. */
  async nextUpdate(source: Visited, fetched: FetchedFeed): Promise<NextUpdate> {
    const failed = fetched.outcome === 'failed' || fetched.outcome === 'web-page';
    // Spread at its longest, the wait of a healthy feed is still no longer than was set.
    const longest = Math.floor(this.config.updateIntervalSeconds / (1 + SPREAD));
    return nextUpdateIn({
      nowSeconds: this.clock.nowSeconds(),
      outcome: failed ? failureOf(fetched) : 'ok',
      errorCount: failed ? source.errorCount + 1 : 0,
      recentPubDatesSeconds: await this.#recentPubDates(source, fetched),
      caching: fetched.caching,
      hints: fetched.outcome === 'feed' ? fetched.feed.publishing : source.publishingHints,
      // A hub calls when there is something new; polling is for the case that it forgets to.
      minIntervalSeconds: source.pushed ? longest : MIN_INTERVAL_SECONDS,
      maxIntervalSeconds: longest,
      sleepyMaxSeconds: SLEEPY_MAX_SECONDS,
      jitter: Math.random(),
    });
  }

  async #recentPubDates(source: Visited, fetched: FetchedFeed): Promise<number[]> {
    if (fetched.outcome !== 'feed') {
      return this.sources.recentPubDates(source.id, RHYTHM_ARTICLES);
    }
    return fetched.feed.items
      .flatMap(({ pubDateSeconds }) => (pubDateSeconds === null ? [] : [pubDateSeconds]))
      .sort((a, b) => b - a)
      .slice(0, RHYTHM_ARTICLES);
  }

  #completion(
    fetched: FetchedFeed,
    result: FetchResult,
    { waitSeconds, reason }: NextUpdate,
    address: AddressNews,
  ): Completion {
    const { status, durationMs, bytes } = fetched;
    const move = describeMove(address);
    return {
      result,
      address,
      dueInSeconds: waitSeconds,
      notes: {
        status,
        durationMs,
        bytes,
        decision: move === null ? reason : `${reason}; ${move}`,
      },
    };
  }

  /** What a host says about itself, which holds for all its sources. */
  async #heedHost({ hostKey, spaced }: Lease, fetched: FetchedFeed): Promise<void> {
    if (
      fetched.status !== null &&
      fetched.redirects.length === 0 &&
      spaced === fetched.allowListed
    ) {
      await this.schedule.setSpacing(hostKey, !fetched.allowListed);
    }
    if (fetched.outcome === 'failed' && fetched.kind === 'rate-limited' && !fetched.allowListed) {
      await this.schedule.pauseHost(hostKey, fetched.retryAfterSeconds ?? RATE_LIMITED_SECONDS);
    }
  }

  /** Nothing can be reached: nobody is blamed, and all are due again soon. */
  async #recordOutage(
    lease: Lease,
    { status, durationMs, bytes, ...fetched }: FetchedFeed,
    forgiven: readonly number[],
  ): Promise<RefreshOutcome> {
    const message = 'message' in fetched ? fetched.message : '';
    const written = await this.articles.complete(lease, {
      result: { outcome: 'outage', message },
      address: { is: 'as-it-was' },
      dueInSeconds: soon(),
      notes: { status, durationMs, bytes, decision: 'nothing can be reached, tried again soon' },
    });
    if (forgiven.length > 0) {
      await Promise.allSettled(this.#failing);
      await this.articles.forgiveFailures(forgiven);
      await this.schedule.bringForward(forgiven, 2 * OUR_TROUBLE_SECONDS);
    }
    return written === null ? { outcome: 'superseded' } : { outcome: 'failed', message };
  }

  /** What was fetched could not be written; that at least is written down. */
  async #storeFailed(
    lease: Lease,
    fetched: FetchedFeed,
    error: unknown,
  ): Promise<{ readonly failed: string }> {
    const outcome = await this.#recover(lease, error, fetched);
    return { failed: outcome.outcome === 'failed' ? outcome.message : 'It was not stored.' };
  }

  /**
   * After an exception of our own: counts it as a failure of the source when it may be the
   * source's, and else gives the lease back.
   *
   * @throws the error when the database is not there
   */
  async #recover(lease: Lease, error: unknown, fetched?: FetchedFeed): Promise<RefreshOutcome> {
    const breakdown = explainBreakdown(error);
    if (breakdown.is === 'ours') {
      await this.schedule.release([lease], soon()).catch(() => {
        // The database is still away; the lease ends by itself.
      });
      throw error;
    }
    const { message } = breakdown;
    this.#logger.error(`source ${lease.sourceId}: ${(error as Error).stack ?? message}`);
    const source = await this.sources.find(lease.sourceId);
    const next = nextUpdateIn({
      nowSeconds: 0,
      outcome: { failed: 'unreadable', retryAfterSeconds: null },
      errorCount: (source?.errorCount ?? 0) + 1,
      recentPubDatesSeconds: [],
      caching: null,
      hints: null,
      minIntervalSeconds: MIN_INTERVAL_SECONDS,
      maxIntervalSeconds: this.config.updateIntervalSeconds,
      sleepyMaxSeconds: SLEEPY_MAX_SECONDS,
      jitter: Math.random(),
    });
    const written = await this.articles.complete(lease, {
      result: { outcome: 'failed', message, gone: false, document: null },
      address: { is: 'as-it-was' },
      dueInSeconds: next.waitSeconds,
      notes: {
        status: fetched?.status ?? null,
        durationMs: fetched?.durationMs ?? null,
        bytes: fetched?.bytes ?? null,
        decision: next.reason,
      },
    });
    return written === null ? { outcome: 'superseded' } : { outcome: 'failed', message };
  }

  #tell(source: Source, result: FetchResult, next: NextUpdate, address: AddressNews): void {
    if (result.outcome === 'failed') {
      this.#logger.log(
        `source ${source.id}: ${result.message} (error ${source.errorCount + 1} in a row, ` +
          `next try in ${Math.round(next.waitSeconds / 60)} min: ${next.reason})`,
      );
    }
    if (address.is === 'moved') {
      this.#logger.log(`source ${source.id}: ${describeMove(address)}`);
    }
  }
}

function documentOf(source: Source): KnownDocument {
  const { url, effectiveUrl, bodyHash, notModifiedInRow } = source;
  const asksAnew = notModifiedInRow >= NOT_MODIFIED_BELIEVED;
  return {
    url: effectiveUrl ?? url,
    etag: asksAnew ? null : source.etag,
    lastModified: asksAnew ? null : source.lastModified,
    bodyHash,
  };
}

function toResult(fetched: FetchedFeed): FetchResult {
  switch (fetched.outcome) {
    case 'feed':
      return {
        outcome: 'document',
        feed: fetched.feed,
        bodyHash: fetched.bodyHash,
        validators: fetched.validators,
      };
    case 'unchanged':
      return { outcome: 'unchanged', validators: fetched.validators };
    case 'web-page':
      return {
        outcome: 'failed',
        message: 'The address leads to a web page, not to a feed.',
        gone: false,
        document: fetched.document,
      };
    case 'failed':
      return {
        outcome: 'failed',
        message:
          fetched.kind === 'gone'
            ? `${fetched.message} Its items stay, and it is asked once a week whether it is back.`
            : fetched.message,
        gone: fetched.kind === 'gone',
        document: fetched.document,
      };
  }
}

function failureOf(fetched: FetchedFeed & { readonly outcome: 'failed' | 'web-page' }) {
  return fetched.outcome === 'failed'
    ? { failed: fetched.kind, retryAfterSeconds: fetched.retryAfterSeconds }
    : { failed: 'not-a-feed' as const, retryAfterSeconds: null };
}

function describeMove(address: AddressNews): string | null {
  switch (address.is) {
    case 'as-it-was':
      return null;
    case 'announced':
      return address.to === null
        ? 'the permanent redirect is gone again'
        : `a permanent redirect was seen ${address.sightings} times`;
    case 'moved':
      return address.to === null
        ? `fetched from the subscribed address again, at ${address.hostKey}`
        : `moved for good, now fetched from ${address.hostKey}`;
  }
}

/** Spread, so that what failed together does not come back together. */
function soon(): number {
  return OUR_TROUBLE_SECONDS * (1 + Math.random());
}
