import { Injectable } from '@nestjs/common';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Database } from '../../../database/database.js';
import { FailedDocumentEntity } from './failed-document.entity.js';
import {
  attemptSeries,
  COMPLETE_HISTORY_SECONDS,
  latestAttempts,
  trimAttempts,
  type Attempt,
  type AttemptBucket,
  type HistorySpan,
} from './history.sql.js';

/** A document that could not be read. */
interface FailedDocument {
  /** Unix seconds. */
  readonly atSeconds: number;
  readonly message: string;
  readonly contentType: string | null;
  /** Of the whole document. */
  readonly byteCount: number;
  /** Its first `KEPT_DOCUMENT_BYTES` bytes. */
  readonly bytes: Buffer;
}

const decompress = promisify(gunzip);

/** The latest attempts of each source, and the last document that could not be read. */
@Injectable()
export class FetchHistoryRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async attempts(sourceId: number, limit: number): Promise<Attempt[]> {
    return latestAttempts(this.database, sourceId, limit);
  }

  async failedDocument(sourceId: number): Promise<FailedDocument | null> {
    const row = await this.database.entities((em) =>
      em.findOne(FailedDocumentEntity, { sourceId }, { disableIdentityMap: true }),
    );
    if (row === null) {
      return null;
    }
    const { at, message, contentType, byteCount, gzipped } = row;
    const atSeconds = Math.floor(at.getTime() / 1000);
    return { atSeconds, message, contentType, byteCount, bytes: await decompress(gzipped) };
  }

  /** Attempts of all sources by bucket, oldest first, without empty buckets. */
  async series(span: HistorySpan): Promise<AttemptBucket[]> {
    return attemptSeries(this.database, span);
  }

  /** @returns since when all attempts are stored, in unix seconds */
  completeSince(nowSeconds: number): number {
    return nowSeconds - COMPLETE_HISTORY_SECONDS;
  }

  /** Removes all but the latest attempts of each source and those of the last day, at most `limit`. */
  async trim(limit: number): Promise<number> {
    return trimAttempts(this.database, limit);
  }
}
