import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { SqlRunner } from '../../../database/database.js';
import type { Attempt } from './fetch-history.repository.js';

/** What the history records of an attempt besides its result; nulls without a response. */
export type AttemptNotes = Pick<Attempt, 'status' | 'durationMs' | 'bytes' | 'decision'>;

/** Bytes that are kept of a document that could not be read. */
const KEPT_DOCUMENT_BYTES = 256 * 1024;

const compress = promisify(gzip);

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
