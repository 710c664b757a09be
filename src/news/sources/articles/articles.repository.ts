import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import type { ParsedFeed } from '../../feed-parser/parsed-feed.js';
import { EVIDENCE } from './evidence.sql.js';
import { ingest, NOTHING_INGESTED, type Ingested } from './ingest.js';
import { keepFailedDocument, type AttemptNotes } from '../history/fetch-history.repository.js';
import type { Lease } from '../schedule/schedule.repository.js';

/** The two validators a server gave with one and the same document. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** What a fetch found out, to be written in one go. */
export type FetchResult =
  | { readonly outcome: 'unchanged'; readonly validators: Validators | null }
  | {
      readonly outcome: 'document';
      readonly feed: ParsedFeed;
      readonly bodyHash: Buffer;
      readonly validators: Validators;
    }
  | {
      readonly outcome: 'failed';
      readonly message: string;
      /** The publisher says that the feed will not come back. */
      readonly gone: boolean;
      readonly document: { readonly bytes: Uint8Array; readonly contentType: string | null } | null;
    }
  /** Not held against the source: nothing could be reached. */
  | { readonly outcome: 'outage'; readonly message: string };

/** Where a source is fetched from, as far as a fetch changes that. */
export type AddressNews =
  | { readonly is: 'as-it-was' }
  /** A permanent redirect was seen; null forgets an earlier one. */
  | { readonly is: 'announced'; readonly to: string | null; readonly sightings: number }
  /** Fetched from there from now on; null is the address of the subscription. */
  | { readonly is: 'moved'; readonly to: string | null; readonly hostKey: string };

/** All that is written when a fetch has ended. */
export interface Completion {
  readonly result: FetchResult;
  /** Until the source is due again. Relative, so that only the database's clock counts. */
  readonly dueInSeconds: number;
  readonly address: AddressNews;
  readonly notes: AttemptNotes;
}

const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

/**
 * Writes what fetches brought. Ingest holds the source's lock and checks the lease in the same
 * transaction: revisions are committed in order, and a worker that lost its lease writes nothing.
 */
@Injectable()
export class ArticlesRepository {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * Writes the result of a fetch, when the source is due next, and the attempt into the history.
   *
   * @returns what the document brought; null when nothing was written, since somebody else took
   *   the source over meanwhile
   */
  async complete(lease: Lease, completion: Completion): Promise<Ingested | null> {
    const { result } = completion;
    if (result.outcome !== 'document' && !(result.outcome === 'failed' && result.document)) {
      return finish(this.database, lease, completion, NOTHING_INGESTED);
    }
    return this.database.transaction(async (tx) => {
      const listing = await listingUnderLease(tx, lease);
      if (listing === null) {
        return null;
      }
      const mostNewInADay = this.config.limits['new-articles-per-source-and-day'];
      const ingested =
        result.outcome === 'document'
          ? await ingest(tx, lease.sourceId, listing, result, mostNewInADay)
          : NOTHING_INGESTED;
      if (result.outcome === 'failed' && result.document) {
        await keepFailedDocument(tx, lease.sourceId, result.message, result.document);
      }
      return finish(tx, lease, completion, ingested);
    });
  }

  /** Takes back failures that turned out to be our own network's. */
  async forgiveFailures(sourceIds: readonly number[]): Promise<void> {
    await this.database.query(
      `update source set error_count = error_count - 1,
                         last_error = case when error_count > 1 then last_error end
        where id = any($1::bigint[]) and error_count > 0`,
      [sourceIds],
    );
  }

  /**
   * Moves watermarks of users who have not synchronised for so long that what waits for them is
   * older than articles are kept: they find on return what retention kept.
   *
   * To run under the reader's lock, like all that changes subscriptions.
   */
  async expirePending(tx: SqlRunner, readerId: number, keepDays: number): Promise<void> {
    await tx.query(
      `update subscription set delivered_rev = expired.rev
         from (${EXPIRED_REVISIONS}) expired
        where subscription.id = expired.subscription_id`,
      [keepDays, readerId],
    );
    await tx.query(
      `delete from late_delivery using subscription
        where subscription.id = subscription_id and reader_id = $2
          and since < now() - make_interval(days => $1)`,
      [keepDays, readerId],
    );
  }

  /** Users for whom `expirePending` has something to do. */
  async usersWithExpired(keepDays: number): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `select user_id as "userId" from reader
        where id in (select reader_id from (${EXPIRED_REVISIONS}) expired
                      union
                     select reader_id from subscription join late_delivery on id = subscription_id
                      where since < now() - make_interval(days => $1))
        order by id`,
      [keepDays, null],
    );
    return rows.map(({ userId }) => userId);
  }

  /**
   * Removes articles, with their bodies, that no item refers to, that the publisher lists no more,
   * that nobody still waits for and that came at least `keepDays` ago. A tombstone remembers each.
   *
   * Works through the sources by id, each page under the locks of its sources, so that no ingest
   * lists an article again meanwhile. Sources whose list changed a moment ago are left for later: a
   * first delivery that still reads the former list could otherwise make an item of a gone article.
   *
   * @returns the last source looked at, or null at the end; and how many articles went
   */
  async removeUnreferenced(
    afterSourceId: number,
    keepDays: number,
    limits: { readonly sources: number; readonly articles: number },
  ): Promise<{ lastSourceId: number | null; removed: number }> {
    return this.database.transaction(async (tx) => {
      const locked = await tx.query<{ id: number }>(
        `select source.id from source join source_document on source_id = source.id
          where source.id > $1 and listed_at < now() - interval '5 minutes'
          order by source.id limit $2 for update of source skip locked`,
        [afterSourceId, limits.sources],
      );
      const removed = await tx.query(
        `with old as (
           select article.id, article.source_id, article.guid_hash, article.first_rev,
                  article.key_hash, article.unlisted_rev, ${EVIDENCE} as evidence,
                  case when article.key_hash is not null then article.guid end as guid
             from article left join article_body on article_body.article_id = article.id
            where article.source_id = any($1::bigint[])
              and article.fetched_at < now() - make_interval(days => $2)
              and not exists (select from source_document listing
                               where listing.source_id = article.source_id
                                 and article.id = any(listing.article_ids))
              and not exists (select from subscription s
                               where s.source_id = article.source_id
                                 and (s.delivered_rev between 0 and article.rev - 1
                                      or exists (select from item
                                                  where item.subscription_id = s.id
                                                    and item.article_id = article.id)))
              and not exists (select from late_delivery where article_id = article.id)
            limit $3
         ), buried as (
           insert into article_tombstone
                  (source_id, guid_hash, first_rev, key_hash, unlisted_rev, evidence, guid)
           select source_id, guid_hash, first_rev, key_hash, unlisted_rev, evidence, guid from old
           on conflict (source_id, guid_hash) do update
              set (first_rev, key_hash, unlisted_rev, evidence, guid, buried_at) =
                  (excluded.first_rev, excluded.key_hash, excluded.unlisted_rev, excluded.evidence,
                   excluded.guid, excluded.buried_at)
         )
         delete from article using old where article.id = old.id returning 1`,
        [locked.map(({ id }) => id), keepDays, limits.articles],
      );
      const full = removed.length === limits.articles;
      const lastSourceId = full ? afterSourceId : (locked.at(-1)?.id ?? null);
      return { lastSourceId, removed: removed.length };
    });
  }

  /**
   * Forgets removed articles beyond the latest `keep` of each source. One that is listed again after
   * that is new.
   *
   * @returns how many were forgotten; at most `limit`
   */
  async forgetRemoved(keep: number, limit: number): Promise<number> {
    const rows = await this.database.query(
      `delete from article_tombstone using (
         select source_id, guid_hash from (
           select source_id, guid_hash,
                  row_number() over (partition by source_id
                                     order by buried_at desc, guid_hash) as place
             from article_tombstone
            where source_id in (select source_id from article_tombstone
                                 group by source_id having count(*) > $1)) ranked
          where place > $1 limit $2) old
        where article_tombstone.source_id = old.source_id
          and article_tombstone.guid_hash = old.guid_hash
       returning 1`,
      [keep, limit],
    );
    return rows.length;
  }
}

/** Up to which revision everything of a source is older than `$1` days, where `$2` (or anybody) lags. */
const EXPIRED_REVISIONS = `
  select s.id as subscription_id, s.reader_id, old.rev
    from subscription s
    join source on source.id = s.source_id and source.rev > s.delivered_rev
    cross join lateral (
      select max(article.rev) as rev from article
       where article.source_id = s.source_id
         and article.rev < coalesce((select min(young.rev) from article young
                                      where young.source_id = s.source_id
                                        and young.fetched_at >= now() - make_interval(days => $1)),
                                    source.rev + 1)) old
   where s.delivered_rev >= 0 and old.rev > s.delivered_rev and ($2::bigint is null or s.reader_id = $2)`;

/**
 * To be followed by changes of the source: locks it, and looks whether the lease still holds.
 *
 * @returns the articles that the document before listed, or null when the lease is lost
 */
async function listingUnderLease(tx: SqlRunner, lease: Lease): Promise<number[] | null> {
  await tx.query('select 1 from source where id = $1 for update', [lease.sourceId]);
  const [row] = await tx.query<{ articleIds: readonly string[] | null }>(
    `select article_ids as "articleIds"
       from source_schedule left join source_document using (source_id)
      where source_id = $1 and lease_token = $2 for update of source_schedule`,
    [lease.sourceId, lease.token],
  );
  return row === undefined ? null : (row.articleIds ?? []).map(Number);
}

/**
 * One statement for everything but articles, since most fetches bring none. It locks the source
 * first, like all that locks both rows.
 */
async function finish(
  runner: SqlRunner,
  lease: Lease,
  { result, dueInSeconds, address, notes }: Completion,
  ingested: Ingested,
): Promise<Ingested | null> {
  const { postponedItems } = ingested;
  const answered = 'validators' in result ? result.validators : null;
  // With them the publisher would answer "not modified", and what was postponed would never come.
  const validators = postponedItems > 0 ? NO_VALIDATORS : answered;
  const moved = address.is === 'moved' ? address : null;
  const announced = address.is === 'announced' ? address : null;
  const rows = await runner.query(
    `with locked as materialized (
       select id from source where id = $1 for update
     ), finished as (
       update source_schedule
          set due_at = case when wanted_again then now()
                            else now() + make_interval(secs => $3::float8) end,
              set_at = now(), wanted_again = false, lease_token = null, host_key = coalesce($4::text, host_key)
         from locked
        where source_id = locked.id and lease_token = $2
       returning source_id, due_at
     ), noted as (
       update source
          set fetched_at = case $8::text when 'outage' then fetched_at else now() end,
              error_count = case $8 when 'failed' then error_count + 1 when 'outage' then error_count
                                    else 0 end,
              last_error = case $8 when 'failed' then $9::text when 'outage' then last_error end,
              gone_at = case when $20::boolean then coalesce(gone_at, now())
                             when $8 in ('failed', 'outage') then gone_at end,
              etag = case when $5::boolean then $6::text else etag end,
              last_modified = case when $5 then $7::text else last_modified end,
              not_modified_in_row = case when $5 then 0 when $8 = 'unchanged' then not_modified_in_row + 1
                                         else not_modified_in_row end,
              effective_url = case when $10::boolean then $11::text else effective_url end,
              moving_since = case when $10 or $12::int = 0 then null
                                  when $12 = 1 then now() else moving_since end,
              moving_to = case when $10 or $12 = 0 then null
                               when $12 > 0 then $13::text else moving_to end,
              moving_sightings = case when $10 then 0 else coalesce($12, moving_sightings) end
         from finished where source.id = finished.source_id
     )
     insert into fetch_attempt (source_id, outcome, message, status, duration_ms, bytes,
                                new_items, changed_items, decision, due_at)
     select source_id, case $8 when 'document' then 'read' else $8 end, $9, $14::smallint, $15::int,
            $16::int, $17::int, $18::int, $19::text, due_at
       from finished
     returning 1`,
    [
      lease.sourceId,
      lease.token,
      dueInSeconds,
      moved?.hostKey ?? null,
      validators !== null,
      validators?.etag ?? null,
      validators?.lastModified ?? null,
      result.outcome,
      'message' in result ? result.message : describePostponed(postponedItems),
      moved !== null,
      moved?.to ?? null,
      announced?.sightings ?? null,
      announced?.to ?? null,
      notes.status,
      notes.durationMs,
      notes.bytes,
      ingested.newItems,
      ingested.changedItems,
      notes.decision,
      result.outcome === 'failed' && result.gone,
    ],
  );
  return rows.length > 0 ? ingested : null;
}

function describePostponed(items: number): string | null {
  return items === 0
    ? null
    : `${items} new entries were left for later: the feed had too many new ones within a day.`;
}
