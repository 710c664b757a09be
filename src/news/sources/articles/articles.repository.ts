import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { prepared } from '../../../database/prepared.js';
import { ITEM_RULES, type ItemRule } from '../../feed-parser/items/item-identity.js';
import type { ParsedFeed } from '../../feed-parser/parsed-feed.js';
import { FetchHistoryRepository } from '../history/fetch-history.repository.js';
import type { Lease } from '../schedule/schedule.sql.js';
import { arrivalOf, ARRIVALS } from './arrivals.js';
import {
  writeFetches,
  type EndedFetch,
  type FetchRecord,
  type Ingested,
  type LockedSource,
} from './fetch-record.sql.js';
import { FetchSets, type Haste } from './fetch-sets.js';
import { ingest } from './ingest.sql.js';

/** A rule's result for the stored articles of a source. */
export interface RulePreview {
  readonly rule: ItemRule;
  /** Articles that were compared: the newest. */
  readonly stored: number;
  /** Resulting number of items. */
  readonly items: number;
  /** The largest groups that would have been one item. */
  readonly joined: readonly { readonly title: string | null; readonly count: number }[];
}

const MOST_COMPARED = 2_000;
const MOST_JOINED = 3;

const NOTHING_INGESTED: Ingested = {
  newItems: 0,
  changedItems: 0,
  postponedItems: 0,
  storedMs: 0,
  awaitedRev: null,
};

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
    private readonly history: FetchHistoryRepository,
    private readonly jobs: JobQueue,
  ) {}

  /**
   * Writes the result of a fetch, the next due date, and the attempt into the history.
   *
   * @param haste for results without a document
   * @returns the document's changes; null when the lease is lost and nothing was written
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
    const written = await this.database.transaction(async (tx) => {
      const locked = await lockUnderLease(lease, tx);
      if (locked === null) {
        return null;
      }
      const ingested =
        result.outcome === 'document'
          ? await this.#ingest(lease.sourceId, locked, result, tx)
          : NOTHING_INGESTED;
      if (result.outcome === 'failed' && result.document) {
        await this.history.keepFailedDocument(lease.sourceId, result.message, result.document, tx);
      }
      return (await writeAlone(tx, { lease, record, ingested })) ? ingested : null;
    });
    this.#wake(written);
    return written;
  }

  /**
   * Adds a request's items to a source that is not fetched, all or nothing.
   *
   * @returns with `postponedItems`, nothing was written; null when the source was removed
   */
  async addGiven(sourceId: number, feed: ParsedFeed): Promise<Ingested | null> {
    try {
      const added = await this.database.transaction(async (tx) => {
        const [source] = await tx.query<{ rev: number }>(
          'update source set fetched_at = now() where id = $1 and given_to is not null returning rev',
          [sourceId],
        );
        if (source === undefined) {
          return null;
        }
        const [former] = await tx.query<{ articleIds: readonly string[] }>(
          'select article_ids as "articleIds" from source_document where source_id = $1',
          [sourceId],
        );
        const locked = { rev: source.rev, listing: (former?.articleIds ?? []).map(Number) };
        const document = { feed, bodyHash: NO_BODY };
        const ingested = await this.#ingest(sourceId, locked, document, tx);
        if (ingested.postponedItems > 0) {
          throw new DayIsFull(ingested);
        }
        return ingested;
      });
      this.#wake(added);
      return added;
    } catch (error) {
      if (error instanceof DayIsFull) {
        return error.ingested;
      }
      throw error;
    }
  }

  /** Stores a document, and a job for early readers with its new and changed articles. */
  async #ingest(
    sourceId: number,
    locked: LockedSource,
    document: Parameters<typeof ingest>[2],
    tx: SqlRunner,
  ): Promise<Ingested> {
    const mostNewPerDay = this.config.limits['new-articles-per-source-and-day'];
    const ingested = await ingest(sourceId, locked, document, mostNewPerDay, tx);
    if (ingested.awaitedRev !== null) {
      await this.jobs.send(ARRIVALS, [arrivalOf(sourceId, locked.rev, ingested.awaitedRev)], tx);
    }
    return ingested;
  }

  #wake(ingested: Ingested | null): void {
    if (ingested !== null && ingested.awaitedRev !== null) {
      this.jobs.wake(ARRIVALS);
    }
  }

  /** Result of each identity rule for the stored articles. Reads the texts of the newest. */
  async previewRules(sourceId: number): Promise<RulePreview[]> {
    return this.database.query(
      `with stored as (
         select article.id, title, coalesce(key_hash, guid_hash) as guid,
                sha256(convert_to(url, 'UTF8')) as link, sha256(convert_to(title, 'UTF8')) as heading,
                sha256(convert_to(nullif(html, ''), 'UTF8')) as text
           from article left join article_body body on body.source_id = article.source_id
                                                   and body.article_id = article.id
          where article.source_id = $1 order by article.id desc limit ${MOST_COMPARED}
       ), grouped as (
         select rule, min(place) as place, min(title) as title, count(*)::int as count
           from stored cross join unnest($2::text[]) with ordinality as rules (rule, place)
          group by rule, case rule when 'automatic' then int8send(id) when 'link' then coalesce(link, guid)
                                   when 'title' then coalesce(heading, guid)
                                   when 'text' then coalesce(text, guid) else guid end
       )
       select rule, sum(count)::int as stored, count(*)::int as items,
              coalesce((array_agg(json_build_object('title', title, 'count', count)
                                  order by count desc, title) filter (where count > 1))[1:${MOST_JOINED}],
                       '{}') as joined
         from grouped group by rule order by min(place)`,
      [sourceId, ITEM_RULES],
    );
  }

  /** Takes back one failure of each source, after our own network turned out to be down. */
  async forgiveFailures(sourceIds: readonly number[]): Promise<void> {
    await this.database.query(
      `update source set error_count = error_count - 1,
                         last_error = case when error_count > 1 then last_error end
        where id = any($1::bigint[]) and error_count > 0`,
      [sourceIds],
    );
  }
}

const LOCK_SOURCE = prepared('lock-source', 'select rev from source where id = $1 for update');

const LOCK_SCHEDULE = prepared(
  'lock-schedule',
  `select article_ids as "articleIds"
     from source_schedule left join source_document using (source_id)
    where source_id = $1 and lease_token = $2 for update of source_schedule`,
);

/**
 * Locks the source and then its schedule row, in this order everywhere, and checks the lease.
 *
 * @returns null when the lease is lost
 */
async function lockUnderLease(lease: Lease, tx: SqlRunner): Promise<LockedSource | null> {
  const [source] = await tx.query<{ rev: number }>(LOCK_SOURCE, [lease.sourceId]);
  const [row] = await tx.query<{ articleIds: readonly string[] | null }>(LOCK_SCHEDULE, [
    lease.sourceId,
    lease.token,
  ]);
  return source === undefined || row === undefined
    ? null
    : { rev: source.rev, listing: (row.articleIds ?? []).map(Number) };
}

/** @returns false when the lease is lost */
async function writeAlone(runner: SqlRunner, fetch: EndedFetch): Promise<boolean> {
  return (await writeFetches(runner, [fetch], 'wait')).has(fetch.lease.token);
}
