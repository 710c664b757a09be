import type { Statement } from '../../reader/items/item-list.sql.js';

/** A span of time in equal pieces. Times are unix seconds. */
export interface HistorySpan {
  readonly fromSeconds: number;
  /** Exclusive. */
  readonly toSeconds: number;
  readonly bucketSeconds: number;
}

/** What was fetched in a piece of time, of all sources. */
export interface AttemptBucket {
  /** Where the piece begins, in unix seconds. */
  readonly atSeconds: number;
  /** Attempts of every outcome. */
  readonly fetches: number;
  readonly unchanged: number;
  /** Outages of our own network included. */
  readonly failed: number;
  readonly newItems: number;
  readonly changedItems: number;
  /** Of those that got an answer; null without any. */
  readonly medianMs: number | null;
  readonly percentile95Ms: number | null;
}

/** More are not counted; the newest are. Counting these takes about a second. */
const MOST_ATTEMPTS_COUNTED = 500_000;

/** Rides on fetch_attempt_at_index and reads the attempts of the span, up to a limit. */
export function attemptSeries({ fromSeconds, toSeconds, bucketSeconds }: HistorySpan): Statement {
  return {
    sql: `
      select $1::bigint + floor((extract(epoch from at) - $1) / $3)::bigint * $3 as "atSeconds",
             count(*)::int as fetches,
             (count(*) filter (where outcome = 'unchanged'))::int as unchanged,
             (count(*) filter (where outcome in ('failed', 'outage')))::int as failed,
             sum(new_items)::int as "newItems", sum(changed_items)::int as "changedItems",
             round(percentile_cont(0.5) within group (order by duration_ms)
                     filter (where status is not null))::int as "medianMs",
             round(percentile_cont(0.95) within group (order by duration_ms)
                     filter (where status is not null))::int as "percentile95Ms"
        from (select at, outcome, new_items, changed_items, duration_ms, status from fetch_attempt
               where at >= to_timestamp($1) and at < to_timestamp($2)
               order by at desc limit ${MOST_ATTEMPTS_COUNTED}) attempt
       group by 1 order by 1`,
    params: [fromSeconds, toSeconds, bucketSeconds],
  };
}
