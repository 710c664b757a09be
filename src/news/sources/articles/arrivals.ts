import type { JobKind, NewJob } from '../../../database/jobs/job-kind.js';

/** New or changed articles of a source, for early readers. */
export interface Arrival {
  readonly sourceId: number;
  /** The articles, or their full texts, have a higher revision than this, and at most `rev`. */
  readonly sinceRev: number;
  readonly rev: number;
  /** Unix milliseconds. */
  readonly storedAtMs: number;
}

/**
 * Delivers new and changed articles of a source to readers who do not wait until a client asks. Sent in the
 * transaction that stores them. Keys are source ids.
 *
 * @see docs/decisions/0096-early-readers.md
 */
export const ARRIVALS: JobKind<Arrival> = {
  name: 'news-arrival',
  deadlineSeconds: 6 * 3600,
  retryDelaySeconds: 2,
  longestRetryDelaySeconds: 120,
  attemptSeconds: 60,
  parallel: 2,
};

/**
 * SQL of whether any follower of a source is an early reader. Costs the followers or the early readers,
 * whichever are fewer, and without any nothing.
 *
 * @param sourceId SQL of its id
 */
export const isAwaited = (sourceId: string): string =>
  `(exists (select 1 from apps_listening)
    or exists (select 1 from early_reader early
                 join follower on follower.reader_id = early.reader_id
                where follower.source_id = ${sourceId} and follower.deleted_at is null))`;

/** The job for a revision of a source, to be sent in the transaction that makes it. */
export function arrivalOf(sourceId: number, sinceRev: number, rev: number): NewJob<Arrival> {
  const payload = { sourceId, sinceRev, rev, storedAtMs: Date.now() };
  return { key: String(sourceId), payload };
}
