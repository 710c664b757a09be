import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Config } from '../common/config/config.js';
import { FaviconsService } from './favicons.service.js';
import { FeedFetcher, type FetchedFeed } from './fetch/fetch-feed.js';
import { nextUpdateAt } from './fetch/next-update.js';
import { ArticlesRepository, type FetchResult } from './store/articles.repository.js';
import { ScheduleRepository, type Lease } from './store/schedule.repository.js';
import { SourcesRepository, type Source } from './store/sources.repository.js';

const MIN_INTERVAL_SECONDS = 900;
const SLEEPY_MAX_SECONDS = 86_400;

/** Enough entries to see a publisher's rhythm. */
const RHYTHM_ARTICLES = 30;

/** What a refresh came to; `message` is fit to be shown. */
export type RefreshOutcome =
  | { readonly outcome: 'updated' | 'unchanged' | 'superseded' }
  | { readonly outcome: 'failed'; readonly message: string };

/**
 * Brings one source up to date: ask the publisher, read what comes, write it down together with
 * the time of the next visit. Every way out writes that time; only a lost lease writes nothing.
 */
@Injectable()
export class SourceRefresher {
  readonly #logger = new Logger('Feeds');
  readonly #running = new Map<number, Promise<RefreshOutcome>>();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly fetcher: FeedFetcher,
    private readonly sources: SourcesRepository,
    private readonly articles: ArticlesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly favicons: FaviconsService,
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

  /** Refreshes the source of a lease that somebody else took out. */
  async refresh(lease: Lease): Promise<RefreshOutcome> {
    const source = await this.sources.find(lease.sourceId);
    if (source === null) {
      return { outcome: 'superseded' };
    }
    const fetched = await this.fetcher.fetch(source);
    return this.record(lease, source, fetched);
  }

  /** Writes down what a fetch brought, and when to come back. */
  async record(lease: Lease, source: Source, fetched: FetchedFeed): Promise<RefreshOutcome> {
    const result = toResult(fetched);
    const next = nextUpdateAt({
      nowSeconds: this.clock.nowSeconds(),
      outcome:
        fetched.outcome === 'failed'
          ? { failed: fetched.kind, retryAfterSeconds: fetched.retryAfterSeconds }
          : 'ok',
      errorCount: result.outcome === 'failed' ? source.errorCount + 1 : 0,
      recentPubDatesSeconds: await this.#recentPubDates(source, fetched),
      caching: fetched.caching,
      hints: fetched.outcome === 'feed' ? fetched.feed.publishing : null,
      minIntervalSeconds: MIN_INTERVAL_SECONDS,
      maxIntervalSeconds: this.config.updateIntervalSeconds,
      sleepyMaxSeconds: SLEEPY_MAX_SECONDS,
      jitter: Math.random(),
    });
    if (fetched.allowListed) {
      await this.schedule.forgetSpacing(lease.hostKey);
    }
    const written = await this.articles.complete(lease, result, next.dueAtSeconds);
    if (!written) {
      return { outcome: 'superseded' };
    }
    if (result.outcome === 'failed') {
      this.#logger.log(
        `source ${source.id}: ${result.message} (error ${source.errorCount + 1} in a row, ` +
          `next try ${new Date(next.dueAtSeconds * 1000).toISOString()}: ${next.reason})`,
      );
      return { outcome: 'failed', message: result.message };
    }
    this.favicons.lookFor(source.id, fetched.outcome === 'feed' ? fetched.feed.iconUrl : null);
    return { outcome: result.outcome === 'document' ? 'updated' : 'unchanged' };
  }

  async #claimAndRefresh(sourceId: number): Promise<RefreshOutcome> {
    const lease = await this.schedule.claim(sourceId);
    return lease === null ? { outcome: 'superseded' } : this.refresh(lease);
  }

  async #recentPubDates(source: Source, fetched: FetchedFeed): Promise<number[]> {
    if (fetched.outcome !== 'feed') {
      return this.sources.recentPubDates(source.id, RHYTHM_ARTICLES);
    }
    return fetched.feed.items
      .flatMap(({ pubDateSeconds }) => (pubDateSeconds === null ? [] : [pubDateSeconds]))
      .sort((a, b) => b - a)
      .slice(0, RHYTHM_ARTICLES);
  }
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
      return { outcome: 'failed', message: 'The address leads to a web page, not to a feed.' };
    case 'failed':
      return { outcome: 'failed', message: fetched.message };
  }
}
