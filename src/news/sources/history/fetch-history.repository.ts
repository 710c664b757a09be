import { Injectable } from '@nestjs/common';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Database, type SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FailedDocumentEntity, FetchAttemptEntity } from '../../tables/fetch-history.entity.js';

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

/** Recorded properties of an attempt besides its result; nulls without a response. */
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

/** A document that could not be read. */
interface FailedDocument {
  /** Unix seconds. */
  readonly atSeconds: number;
  readonly message: string;
  readonly contentType: string | null;
  /** Length of the whole document. */
  readonly byteCount: number;
  /** The first `KEPT_DOCUMENT_BYTES` bytes. */
  readonly bytes: Buffer;
}

/** Attempts kept per source, however old. */
const KEPT_ATTEMPTS = 50;

/** Younger attempts are all kept, so that statistics of the last day are complete. */
const COMPLETE_HISTORY_SECONDS = 86_400;

/** Limit of attempts in a series; the newest count. Takes about a second. */
const MOST_ATTEMPTS_COUNTED = 500_000;

/** Bytes that are kept of a document that could not be read. */
const KEPT_DOCUMENT_BYTES = 256 * 1024;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The latest attempts of each source, and the last document that could not be read. */
@Injectable()
export class FetchHistoryRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; uses fetch_attempt_source_id_index. */
  async attempts(sourceId: number, limit: number): Promise<Attempt[]> {
    return this.database.query<Attempt>(
      `select ${ATTEMPT_ROW}, extract(epoch from at)::bigint as "atSeconds",
              extract(epoch from due_at)::bigint as "dueAtSeconds"
         from fetch_attempt attempt where source_id = $1 order by id desc limit $2`,
      [sourceId, limit],
    );
  }

  /** Stores a document that could not be read, in place of an earlier one of the source. */
  async keepFailedDocument(
    sourceId: number,
    message: string,
    { bytes, contentType }: { readonly bytes: Uint8Array; readonly contentType: string | null },
    tx: SqlRunner,
  ): Promise<void> {
    const gzipped = await compress(bytes.subarray(0, KEPT_DOCUMENT_BYTES));
    await tx.query(
      `insert into failed_document (source_id, message, content_type, byte_count, gzipped)
       values ($1, $2, $3, $4, $5)
       on conflict (source_id) do update
          set at = excluded.at, message = excluded.message, content_type = excluded.content_type,
              byte_count = excluded.byte_count, gzipped = excluded.gzipped`,
      [sourceId, message, contentType, bytes.length, gzipped],
    );
  }

  async failedDocument(sourceId: number): Promise<FailedDocument | null> {
    const row = await this.database.entities((em) =>
      em.findOne(FailedDocumentEntity, { sourceId }),
    );
    if (row === null) {
      return null;
    }
    const { at, message, contentType, byteCount, gzipped } = row;
    const atSeconds = Math.floor(at.getTime() / 1000);
    return { atSeconds, message, contentType, byteCount, bytes: await decompress(gzipped) };
  }

  /**
   * Attempts of all sources by bucket, oldest first, without empty buckets. By fetch_attempt_at_index;
   * reads the attempts of the span, up to a limit.
   */
  async series(span: HistorySpan): Promise<AttemptBucket[]> {
    const { fromSeconds, toSeconds, bucketSeconds } = span;
    return this.database.query<AttemptBucket>(
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

  /** @returns since when all attempts are stored, in unix seconds */
  completeSince(nowSeconds: number): number {
    return nowSeconds - COMPLETE_HISTORY_SECONDS;
  }

  /** Removes attempts older than a day, except the latest of each source; at most `limit`. */
  async trim(limit: number): Promise<number> {
    const rows = await this.database.query(
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
}
