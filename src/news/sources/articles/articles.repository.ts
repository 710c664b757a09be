import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { keepFailedDocument } from '../history/history.sql.js';
import type { ParsedFeed } from '../../feed-parser/parsed-feed.js';
import type { Lease } from '../schedule/claim.sql.js';
import {
  forgiveFailures,
  lockGiven,
  lockUnderLease,
  writeFetches,
  type EndedFetch,
  type FetchRecord,
  type Ingested,
} from './fetch-record.sql.js';
import { FetchSets, type Haste } from './fetch-sets.js';
import { ingest } from './ingest.repository.js';
import { previewRules, type RulePreview } from './item-rules.sql.js';

const NOTHING_INGESTED: Ingested = { newItems: 0, changedItems: 0, postponedItems: 0 };

/** The hash of a document that was not fetched. */
const NO_BODY = Buffer.alloc(32);

/** Ends the transaction without effect. */
class DayIsFull extends Error {
  constructor(readonly ingested: Ingested) {
    super('The daily limit of the source is reached.');
  }
}

/**
 * Writes the results of fetches. An ingest holds the source's lock and checks the lease in the same
 * transaction: revisions are committed in order, and a worker that lost its lease writes nothing.
 */
@Injectable()
export class ArticlesRepository {
  readonly #sets = new FetchSets(
    (fetches) => writeFetches(this.database, fetches, 'skip'),
    (fetch) => writeAlone(this.database, fetch),
  );

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * Writes the result of a fetch, the next due date, and the attempt into the history.
   *
   * @param haste for results without a document
   * @returns what the document changed; null when the lease is lost and nothing was written
   */
  async recordFetch(
    lease: Lease,
    record: FetchRecord,
    haste: Haste = 'now',
  ): Promise<Ingested | null> {
    const { result } = record;
    const isOneStatement =
      result.outcome !== 'document' && !(result.outcome === 'failed' && result.document);
    if (isOneStatement) {
      const fetch = { lease, record, ingested: NOTHING_INGESTED };
      return (await this.#sets.write(fetch, haste)) ? NOTHING_INGESTED : null;
    }
    return this.database.transaction(async (tx) => {
      const locked = await lockUnderLease(tx, lease);
      if (locked === null) {
        return null;
      }
      const mostNewPerDay = this.config.limits['new-articles-per-source-and-day'];
      const ingested =
        result.outcome === 'document'
          ? await ingest(tx, lease.sourceId, locked, result, mostNewPerDay)
          : NOTHING_INGESTED;
      if (result.outcome === 'failed' && result.document) {
        await keepFailedDocument(tx, lease.sourceId, result.message, result.document);
      }
      return (await writeAlone(tx, { lease, record, ingested })) ? ingested : null;
    });
  }

  /**
   * Adds what a request brought to a source that is not fetched, all or nothing.
   *
   * @returns with `postponedItems`, nothing was written; null when the source does not exist any more
   */
  async addGiven(sourceId: number, feed: ParsedFeed): Promise<Ingested | null> {
    const mostNewPerDay = this.config.limits['new-articles-per-source-and-day'];
    try {
      return await this.database.transaction(async (tx) => {
        const locked = await lockGiven(tx, sourceId);
        if (locked === null) {
          return null;
        }
        const document = { feed, bodyHash: NO_BODY };
        const ingested = await ingest(tx, sourceId, locked, document, mostNewPerDay);
        if (ingested.postponedItems > 0) {
          throw new DayIsFull(ingested);
        }
        return ingested;
      });
    } catch (error) {
      if (error instanceof DayIsFull) {
        return error.ingested;
      }
      throw error;
    }
  }

  /** What each rule of what makes an item itself would have made of the stored articles. */
  async previewRules(sourceId: number): Promise<RulePreview[]> {
    return previewRules(this.database, sourceId);
  }

  /** Takes back one failure of each source, after our own network turned out to be down. */
  async forgiveFailures(sourceIds: readonly number[]): Promise<void> {
    await forgiveFailures(this.database, sourceIds);
  }
}

/** @returns false when the lease is lost */
async function writeAlone(runner: SqlRunner, fetch: EndedFetch): Promise<boolean> {
  return (await writeFetches(runner, [fetch], 'wait')).has(fetch.lease.token);
}
