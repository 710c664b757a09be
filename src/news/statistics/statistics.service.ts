import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { InvalidInput } from '../../common/errors/domain-error.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { DAY_SECONDS, HOUR_SECONDS } from '../../common/units.js';
import {
  FetchHistoryRepository,
  type AttemptBucket,
  type HistorySpan,
} from '../sources/history/fetch-history.repository.js';
import { shownAddress } from '../sources/shown-address.js';
import {
  SourceListsRepository,
  type SourceLine,
  type SourceSelection,
  type SourceTotals,
} from './source-lists.repository.js';

/** Times are unix seconds. */
export interface FetchSeries extends HistorySpan {
  /** Start of complete data; before it, only the latest attempts of each source are stored. */
  readonly completeSinceSeconds: number;
  /** Without gaps: includes empty buckets. */
  readonly buckets: readonly AttemptBucket[];
}

/** The sources that are due next. Addresses are without secrets. */
export interface DueList {
  readonly nowSeconds: number;
  readonly overdue: number;
  readonly due: readonly SourceLine[];
}

/** A page of all sources that have followers. Addresses are without secrets. */
export interface SourceList extends Omit<SourceTotals, 'failingBy' | 'untried'> {
  readonly sources: readonly SourceLine[];
}

const LONGEST_SPAN_SECONDS = 31 * 86_400;
const MOST_BUCKETS = 1000;
const DUE_SHOWN = 200;

/** Statistics of fetches and lists of sources, for administrators, and metrics of the sources of all processes. */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly clock: Clock,
    private readonly history: FetchHistoryRepository,
    private readonly lists: SourceListsRepository,
    metrics: Metrics,
  ) {
    metrics.readSeldom(
      {
        name: 'gatefold_sources',
        help: 'Sources that have followers; due: waiting for a fetch now; failing: their latest fetch failed.',
        labelNames: ['state'],
      },
      async () => {
        const { all, failing, overdue } = await lists.totals('');
        return Object.entries({ all, failing, due: overdue }).map(([state, value]) => ({
          labels: { state },
          value,
        }));
      },
    );
    metrics.readSeldom(
      {
        name: 'gatefold_sources_oldest_due_seconds',
        help: 'How long the source that is due the longest has waited for its fetch.',
      },
      async () => [{ labels: {}, value: await lists.oldestDueSeconds() }],
    );
  }

  /**
   * Fetches, failures, new items and durations over time.
   *
   * @param wanted defaults to the last day by the hour
   * @throws InvalidInput for a span that is empty, too long or has too many buckets
   */
  async fetches(wanted: {
    readonly fromSeconds?: number | undefined;
    readonly toSeconds?: number | undefined;
    readonly bucketSeconds?: number | undefined;
  }): Promise<FetchSeries> {
    const nowSeconds = this.clock.nowSeconds();
    const toSeconds = wanted.toSeconds ?? nowSeconds + 1;
    const fromSeconds = wanted.fromSeconds ?? toSeconds - DAY_SECONDS;
    const bucketSeconds = wanted.bucketSeconds ?? HOUR_SECONDS;
    const span = { fromSeconds, toSeconds, bucketSeconds };
    const count = countBuckets(span);
    const known = new Map(
      (await this.history.series(span)).map((bucket) => [bucket.atSeconds, bucket]),
    );
    const buckets = Array.from({ length: count }, (_, n) => {
      const atSeconds = fromSeconds + n * bucketSeconds;
      return known.get(atSeconds) ?? { ...EMPTY_BUCKET, atSeconds };
    });
    return { ...span, completeSinceSeconds: this.history.completeSince(nowSeconds), buckets };
  }

  /** The sources that are due next, with the reasons. */
  async due(): Promise<DueList> {
    const [{ nowSeconds, overdue }, due] = await Promise.all([
      this.lists.totals(''),
      this.lists.page({ search: '', order: 'due', limit: DUE_SHOWN, offset: 0 }),
    ]);
    return { nowSeconds, overdue, due: due.map(withoutSecrets) };
  }

  async sources(selection: SourceSelection): Promise<SourceList> {
    const [totals, page] = await Promise.all([
      this.lists.totals(selection.search),
      this.lists.page(selection),
    ]);
    return { ...totals, sources: page.map(withoutSecrets) };
  }
}

const withoutSecrets = (line: SourceLine): SourceLine => ({
  ...line,
  address: shownAddress(line.address),
});

const EMPTY_BUCKET: Omit<AttemptBucket, 'atSeconds'> = {
  fetches: 0,
  unchanged: 0,
  failed: 0,
  newItems: 0,
  changedItems: 0,
  medianMs: null,
  percentile95Ms: null,
};

function countBuckets({ fromSeconds, toSeconds, bucketSeconds }: HistorySpan): number {
  const length = toSeconds - fromSeconds;
  if (length <= 0) {
    throw new InvalidInput('The parameter "to" must lie behind "from".');
  }
  if (length > LONGEST_SPAN_SECONDS) {
    throw new InvalidInput('The time from "from" to "to" must not be longer than 31 days.');
  }
  const count = Math.ceil(length / bucketSeconds);
  if (count > MOST_BUCKETS) {
    throw new InvalidInput(
      `The parameter "bucketSeconds" must be at least ${Math.ceil(length / MOST_BUCKETS)} for this time.`,
    );
  }
  return count;
}
