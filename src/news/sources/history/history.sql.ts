import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FetchAttemptEntity } from './fetch-attempt.entity.js';

const ATTEMPT_ROW = selectList(FetchAttemptEntity, 'attempt', [
  'outcome',
  'status',
  'durationMs',
  'bytes',
  'newItems',
  'changedItems',
  'message',
  'decision',
]);

/** One attempt to fetch a source. Times are unix seconds. */
export type Attempt = RowOf<typeof ATTEMPT_ROW> & {
  readonly atSeconds: number;
  readonly dueAtSeconds: number;
};

/** What the history records of an attempt besides its result; nulls without a response. */
export type AttemptNotes = Pick<Attempt, 'status' | 'durationMs' | 'bytes' | 'decision'>;

/** A time span in equal buckets. Times are unix seconds. */
export interface HistorySpan {
  readonly fromSeconds: number;
  /** Exclusive. */
  readonly toSeconds: number;
  readonly bucketSeconds: number;
}

/** Attempts of all sources within one bucket. */
export interface AttemptBucket {
  /** Start of the bucket in unix seconds. */
  readonly atSeconds: number;
  /** Attempts of every outcome. */
  readonly fetches: number;
  readonly unchanged: number;
  /** Including outages of our own network. */
  readonly failed: number;
  readonly newItems: number;
  readonly changedItems: number;
  /** Durations of attempts with a response; null without any. */
  readonly medianMs: number | null;
  readonly percentile95Ms: number | null;
}

/** Bytes that are kept of a document that could not be read. */
const KEPT_DOCUMENT_BYTES = 256 * 1024;

/** Attempts kept per source, however old. */
const KEPT_ATTEMPTS = 50;

/** Younger attempts are all kept, so that statistics of the last day are complete. */
export const COMPLETE_HISTORY_SECONDS = 86_400;

/** Limit of attempts in a series; the newest count. Takes about a second. */
const MOST_ATTEMPTS_COUNTED = 500_000;

const compress = promisify(gzip);

/** Newest first; by fetch_attempt_source_id_index. */
export async function latestAttempts(
  runner: SqlRunner,
  sourceId: number,
  limit: number,
): Promise<Attempt[]> {
  return runner.query<Attempt>(
    `select ${ATTEMPT_ROW}, extract(epoch from at)::bigint as "atSeconds",
            extract(epoch from due_at)::bigint as "dueAtSeconds"
       from fetch_attempt attempt where source_id = $1 order by id desc limit $2`,
    [sourceId, limit],
  );
}

/**
 * Attempts by bucket, oldest first, without empty buckets. By fetch_attempt_at_index; reads the
 * attempts of the span, up to a limit.
 */
export async function attemptSeries(
  runner: SqlRunner,
  { fromSeconds, toSeconds, bucketSeconds }: HistorySpan,
): Promise<AttemptBucket[]> {
  return runner.query<AttemptBucket>(
    `select $1::bigint + floor((extract(epoch from at) - $1) / $3)::bigint * $3 as "atSeconds",
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
    [fromSeconds, toSeconds, bucketSeconds],
  );
}

/** Deletes all but the latest attempts of each source and those of the last day. @returns how many */
export async function trimAttempts(runner: SqlRunner, limit: number): Promise<number> {
  const rows = await runner.query(
    `delete from fetch_attempt using (
       select id from (
         select id, at, row_number() over (partition by source_id order by id desc) as place
           from fetch_attempt) ranked
        where place > ${KEPT_ATTEMPTS}
          and at < now() - interval '${COMPLETE_HISTORY_SECONDS} seconds' limit $1) old
      where fetch_attempt.id = old.id returning 1`,
    [limit],
  );
  return rows.length;
}

/** Stores a document that could not be read, in place of an earlier one of the source. */
export async function keepFailedDocument(
  tx: SqlRunner,
  sourceId: number,
  message: string,
  { bytes, contentType }: { readonly bytes: Uint8Array; readonly contentType: string | null },
): Promise<void> {
  await tx.query(
    `insert into failed_document (source_id, message, content_type, byte_count, gzipped)
     values ($1, $2, $3, $4, $5)
     on conflict (source_id) do update
        set at = excluded.at, message = excluded.message, content_type = excluded.content_type,
            byte_count = excluded.byte_count, gzipped = excluded.gzipped`,
    [
      sourceId,
      message,
      contentType,
      bytes.length,
      await compress(bytes.subarray(0, KEPT_DOCUMENT_BYTES)),
    ],
  );
}
