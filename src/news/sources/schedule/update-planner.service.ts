import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { NewsSettings } from '../../news.settings.js';
import type { FetchedFeed } from '../fetch/fetch-feed.service.js';
import type { Source } from '../sources.sql.js';
import { SPREAD, nextUpdateIn, type NextUpdate } from './next-update.js';

const MIN_INTERVAL_SECONDS = 900;
const QUIET_MAX_SECONDS = 86_400;

/** The properties of a source that its next update depends on. */
type PlannedSource = Pick<
  Source,
  | 'errorCount'
  | 'publishingHints'
  | 'pushed'
  | 'recentPubDatesSeconds'
  | 'wantedEveryHours'
  | 'isWantedByAll'
>;

/** Decides when a source is fetched again. Writes nothing. */
@Injectable()
export class UpdatePlanner {
  constructor(
    private readonly settings: NewsSettings,
    private readonly clock: Clock,
  ) {}

  nextUpdate(source: PlannedSource, fetched: FetchedFeed): NextUpdate {
    const failure = failureOf(fetched);
    // Makes the longest wait, spread included, the configured interval.
    const maxIntervalSeconds = Math.floor(this.settings.updateIntervalSeconds / (1 + SPREAD));
    return nextUpdateIn({
      nowSeconds: this.clock.nowSeconds(),
      outcome: failure ?? 'ok',
      errorCount: failure === null ? 0 : source.errorCount + 1,
      recentPubDatesSeconds: failure === null ? pubDatesSeconds(source, fetched) : [],
      caching: fetched.caching,
      hints: fetched.outcome === 'feed' ? fetched.feed.publishing : source.publishingHints,
      // A hub notifies us of changes; polling is the fallback.
      minIntervalSeconds: source.pushed ? maxIntervalSeconds : MIN_INTERVAL_SECONDS,
      maxIntervalSeconds,
      sleepyMaxSeconds: QUIET_MAX_SECONDS,
      wanted:
        source.wantedEveryHours === null
          ? null
          : { seconds: source.wantedEveryHours * 3600, byAll: source.isWantedByAll },
      jitter: Math.random(),
    });
  }
}

/** Dates of the document, or of the stored articles when it brought none. */
function pubDatesSeconds(source: PlannedSource, fetched: FetchedFeed): readonly number[] {
  return fetched.outcome === 'feed'
    ? fetched.feed.items.flatMap(({ pubDateSeconds }) => pubDateSeconds ?? [])
    : source.recentPubDatesSeconds;
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
