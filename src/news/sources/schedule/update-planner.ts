import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import type { FetchedFeed } from '../fetch/fetch-feed.js';
import { SourcesRepository } from '../sources.repository.js';
import type { Source } from '../sources.sql.js';
import { SPREAD, nextUpdateIn, type NextUpdate } from './next-update.js';

const MIN_INTERVAL_SECONDS = 900;
const QUIET_MAX_SECONDS = 86_400;

/** Enough articles to estimate how often a publisher writes. */
const RHYTHM_ARTICLES = 30;

/** The properties of a source that its next update depends on. */
type PlannedSource = Pick<Source, 'id' | 'errorCount' | 'publishingHints' | 'pushed'>;

/** Decides when a source is fetched again. Writes nothing. */
@Injectable()
export class UpdatePlanner {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly sources: SourcesRepository,
  ) {}

  async nextUpdate(source: PlannedSource, fetched: FetchedFeed): Promise<NextUpdate> {
    const failure = failureOf(fetched);
    // Such that the longest wait, spread included, is the interval that was configured.
    const maxIntervalSeconds = Math.floor(this.config.updateIntervalSeconds / (1 + SPREAD));
    return nextUpdateIn({
      nowSeconds: this.clock.nowSeconds(),
      outcome: failure ?? 'ok',
      errorCount: failure === null ? 0 : source.errorCount + 1,
      recentPubDatesSeconds: failure === null ? await this.#recentPubDates(source, fetched) : [],
      caching: fetched.caching,
      hints: fetched.outcome === 'feed' ? fetched.feed.publishing : source.publishingHints,
      // A hub notifies us of changes; polling is the fallback.
      minIntervalSeconds: source.pushed ? maxIntervalSeconds : MIN_INTERVAL_SECONDS,
      maxIntervalSeconds,
      sleepyMaxSeconds: QUIET_MAX_SECONDS,
      jitter: Math.random(),
    });
  }

  async #recentPubDates({ id }: PlannedSource, fetched: FetchedFeed): Promise<number[]> {
    if (fetched.outcome !== 'feed') {
      return this.sources.recentPubDates(id, RHYTHM_ARTICLES);
    }
    return fetched.feed.items
      .flatMap(({ pubDateSeconds }) => pubDateSeconds ?? [])
      .sort((a, b) => b - a)
      .slice(0, RHYTHM_ARTICLES);
  }
}

function failureOf(fetched: FetchedFeed) {
  switch (fetched.outcome) {
    case 'failed':
      return { failed: fetched.kind, retryAfterSeconds: fetched.retryAfterSeconds };
    case 'web-page':
      return { failed: 'not-a-feed' as const, retryAfterSeconds: null };
    default:
      return null;
  }
}
