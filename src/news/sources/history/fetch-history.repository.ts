import { Injectable } from '@nestjs/common';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Database, type SqlRunner } from '../../../database/database.js';
import { attemptSeries, type AttemptBucket, type HistorySpan } from './attempt-series.sql.js';

/** How one attempt to fetch a source went, in the words of the history. */
export type AttemptOutcome =
  /** A document that was read. */
  | 'read'
  /** The document of last time. */
  | 'unchanged'
  | 'failed'
  /** Nothing could be reached at all, which is not held against the source. */
  | 'outage';

/** What an attempt leaves in the history beside its result. */
export interface AttemptNotes {
  /** Null without an answer. */
  readonly status: number | null;
  readonly durationMs: number | null;
  /** Decoded bytes of the document. */
  readonly bytes: number | null;
  /** Why the source is due when it is. */
  readonly decision: string;
}

/** Times are unix seconds. */
export interface Attempt extends AttemptNotes {
  readonly atSeconds: number;
  readonly outcome: AttemptOutcome;
  readonly newItems: number;
  readonly changedItems: number;
  readonly message: string | null;
  readonly dueAtSeconds: number;
}

/** A document that could not be read, for somebody to look at. */
export interface FailedDocument {
  readonly atSeconds: number;
  readonly message: string;
  readonly contentType: string | null;
  /** Of the whole document; what is kept may be less. */
  readonly byteCount: number;
  readonly bytes: Buffer;
}

/** Of a document that could not be read, this much is kept. */
export const KEPT_DOCUMENT_BYTES = 256 * 1024;

/** Attempts kept per source, however old. */
const KEPT_ATTEMPTS = 50;

/** Younger attempts are all kept, so that statistics of the last day are whole. */
export const COMPLETE_HISTORY_SECONDS = 86_400;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** What the feed doctor knows: the latest attempts of each source, and what could not be read. */
@Injectable()
export class FetchHistoryRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async attempts(sourceId: number, limit: number): Promise<Attempt[]> {
    return this.database.query<Attempt>(
      `select extract(epoch from at)::bigint as "atSeconds", outcome, status,
              duration_ms as "durationMs", bytes, new_items as "newItems",
              changed_items as "changedItems", message, decision,
              extract(epoch from due_at)::bigint as "dueAtSeconds"
         from fetch_attempt where source_id = $1 order by id desc limit $2`,
      [sourceId, limit],
    );
  }

  async failedDocument(sourceId: number): Promise<FailedDocument | null> {
    const [row] = await this.database.query<Omit<FailedDocument, 'bytes'> & { gzipped: Buffer }>(
      `select extract(epoch from at)::bigint as "atSeconds", message, content_type as "contentType",
              byte_count as "byteCount", gzipped
         from failed_document where source_id = $1`,
      [sourceId],
    );
    if (row === undefined) {
      return null;
    }
    const { gzipped, ...document } = row;
    return { ...document, bytes: await decompress(gzipped) };
  }

  /** Attempts by pieces of time, oldest first; pieces without any are left out. */
  async series(span: HistorySpan): Promise<AttemptBucket[]> {
    const { sql, params } = attemptSeries(span);
    return this.database.query<AttemptBucket>(sql, params);
  }

  /**
   * Removes all but the latest attempts of each source and those of the last day.
   *
   * @returns how many; at most `limit`
   */
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

/** Keeps a document that could not be read, in place of an earlier one of the source. */
export async function keepFailedDocument(
  tx: SqlRunner,
  sourceId: number,
  message: string,
  document: { readonly bytes: Uint8Array; readonly contentType: string | null },
): Promise<void> {
  await tx.query(
    `insert into failed_document (source_id, message, content_type, byte_count, gzipped)
     values ($1, $2, $3, $4, $5)
     on conflict (source_id) do update
        set at = now(), message = excluded.message, content_type = excluded.content_type,
            byte_count = excluded.byte_count, gzipped = excluded.gzipped`,
    [
      sourceId,
      message,
      document.contentType,
      document.bytes.length,
      await compress(document.bytes.subarray(0, KEPT_DOCUMENT_BYTES)),
    ],
  );
}
