import type { SqlRunner } from '../../../database/database.js';
import type { ParsedFeed } from '../../feed-parser/parsed-feed.js';
import type { AttemptNotes } from '../history/history.sql.js';
import type { Lease } from '../schedule/claim.sql.js';

/** The validators that a server sent with one document, for conditional requests. */
interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Result of a fetch, as far as it is stored. */
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
      /** 410: the publisher removed the feed permanently. */
      readonly gone: boolean;
      readonly document: { readonly bytes: Uint8Array; readonly contentType: string | null } | null;
    }
  /** Our own network is down; not counted as a failure of the source. */
  | { readonly outcome: 'outage'; readonly message: string };

/** How a fetch changes the address that the source is fetched from. */
export type AddressChange =
  | { readonly is: 'none' }
  /** A permanent redirect was seen; null forgets an earlier one. */
  | { readonly is: 'announced'; readonly to: string | null; readonly sightings: number }
  /** Fetched from there from now on; null is the address of the subscription. */
  | { readonly is: 'moved'; readonly to: string | null; readonly hostKey: string };

/** Everything that is written when a fetch has ended. */
export interface FetchRecord {
  readonly result: FetchResult;
  /** Until the next fetch. Relative, so that only the database's clock counts. */
  readonly dueInSeconds: number;
  readonly address: AddressChange;
  readonly notes: AttemptNotes;
}

/** What ingesting a document changed, in numbers of items. */
export interface Ingested {
  readonly newItems: number;
  readonly changedItems: number;
  /** New items left for a later day, since the source exceeded its daily limit. */
  readonly postponedItems: number;
}

const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

/**
 * Locks the source and then its schedule row, in this order everywhere, and checks the lease. To be
 * called first in a transaction that changes the source.
 *
 * @returns ids of the articles that the previous document listed; null when the lease is lost
 */
export async function lockUnderLease(tx: SqlRunner, lease: Lease): Promise<number[] | null> {
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
 * Writes the outcome to the source, the due date to its schedule and the attempt to its history, all
 * in one statement, since most fetches bring no articles. Locks the source before its schedule row.
 *
 * @returns false when the lease is lost; then nothing was written
 */
export async function writeFetch(
  runner: SqlRunner,
  lease: Lease,
  { result, dueInSeconds, address, notes }: FetchRecord,
  { newItems, changedItems, postponedItems }: Ingested,
): Promise<boolean> {
  const answered = 'validators' in result ? result.validators : null;
  // With validators the next answer could be "not modified", and postponed items would never arrive.
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
      newItems,
      changedItems,
      notes.decision,
      result.outcome === 'failed' && result.gone,
    ],
  );
  return rows.length > 0;
}

function describePostponed(items: number): string | null {
  return items === 0
    ? null
    : `${items} new entries were postponed: the feed had too many new ones within a day.`;
}

/** Takes back one failure of each source. */
export async function forgiveFailures(
  runner: SqlRunner,
  sourceIds: readonly number[],
): Promise<void> {
  await runner.query(
    `update source set error_count = error_count - 1,
                       last_error = case when error_count > 1 then last_error end
      where id = any($1::bigint[]) and error_count > 0`,
    [sourceIds],
  );
}
