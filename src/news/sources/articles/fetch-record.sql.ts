import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import type { ParsedFeed } from '../../feed-parser/parsed-feed.js';
import type { DocumentValidators, RefusedDocument } from '../fetch/fetch-feed.service.js';
import type { AttemptNotes } from '../history/fetch-history.repository.js';
import type { Lease } from '../schedule/schedule.sql.js';

/** The stored part of a fetch's result. */
export type FetchResult =
  | { readonly outcome: 'unchanged'; readonly validators: DocumentValidators | null }
  | {
      readonly outcome: 'document';
      readonly feed: ParsedFeed;
      readonly bodyHash: Buffer;
      readonly validators: DocumentValidators;
    }
  | {
      readonly outcome: 'failed';
      readonly message: string;
      /** 410: the publisher removed the feed permanently. */
      readonly gone: boolean;
      /** Refused by our own settings: shown at the source without counting as its error. */
      readonly refused: boolean;
      readonly document: RefusedDocument | null;
    }
  /** Our own network is down; not counted as a failure of the source. */
  | { readonly outcome: 'outage'; readonly message: string };

/** Effect of a fetch on the source's address. */
export type AddressChange =
  | { readonly is: 'none' }
  /** A permanent redirect was seen; null forgets an earlier one. */
  | { readonly is: 'announced'; readonly to: string | null; readonly sightings: number }
  /** Fetched from there from now on; null is the address of the subscription. */
  | { readonly is: 'moved'; readonly to: string | null; readonly hostKey: string };

/** The record of an ended fetch. */
export interface FetchRecord {
  readonly result: FetchResult;
  /** Time until the next fetch. Relative, so that only the database's clock counts. */
  readonly dueInSeconds: number;
  /** Pause requested by the publisher. */
  readonly restSeconds?: number | null;
  readonly address: AddressChange;
  readonly notes: AttemptNotes;
}

/** Changes by ingesting a document, in numbers of items. */
export interface Ingested {
  readonly newItems: number;
  readonly changedItems: number;
  /** New items left for a later day, since the source exceeded its daily limit. */
  readonly postponedItems: number;
  /** Time of storing the document. */
  readonly storedMs: number;
  /** Revision with new or changed articles that early readers follow; else null. */
  readonly awaitedRev: number | null;
}

/** State of a source that an ingest has locked. */
export interface LockedSource {
  /**
   * On Citus, the articles of an ingest are committed a moment before this revision of them. A crash
   * between the two leaves articles with a higher one, which the next ingest makes the source's.
   */
  readonly rev: number;
  /** Ids of the articles that the previous document listed. */
  readonly listing: readonly number[];
}

const NO_VALIDATORS: DocumentValidators = { etag: null, lastModified: null };

/** A fetch that has ended, with the lease that permits to write it. */
export interface EndedFetch {
  readonly lease: Lease;
  readonly record: FetchRecord;
  readonly ingested: Ingested;
}

/** The limit corrects the planner's estimate of a hundred rows of JSON. */
const WRITE_FETCHES = (locks: '' | 'skip locked'): string =>
  `with ended as materialized (
       select * from json_to_recordset($1::json) as ended (
         source_id bigint, token uuid, due_in_seconds float8, rest_seconds float8, outcome text,
         message text, gone boolean, refused boolean,
         validated boolean, etag text, last_modified text,
         moved boolean, effective_url text, host_key text, sightings int, moving_to text,
         status smallint, duration_ms int, bytes int, work_ms int, new_items int, changed_items int, decision text,
         asked_at timestamptz)
        limit $2
     ), locked as materialized (
       select id from source where id in (select source_id from ended)
          for no key update ${locks}
     ), held as materialized (
       select source_id, lease_token from source_schedule
        where source_id in (select id from locked)
          and (source_id, lease_token) in (select source_id, token from ended)
          for no key update ${locks}
     ), finished as (
       update source_schedule schedule
          set due_at = case when wanted_again then now()
                            else now() + make_interval(secs => ended.due_in_seconds) end,
              rests_until = now() + make_interval(secs => ended.rest_seconds),
              set_at = now(), wanted_again = false, lease_token = null,
              host_key = coalesce(ended.host_key, schedule.host_key)
         from held join ended on ended.source_id = held.source_id and ended.token = held.lease_token
        where schedule.source_id = held.source_id
       returning schedule.source_id, ended.token, schedule.due_at
     ), noted as (
       update source
          set fetched_at = case outcome when 'outage' then fetched_at else now() end,
              asked_at = coalesce(ended.asked_at, source.asked_at),
              error_count = case outcome when 'failed' then greatest(error_count + (not refused)::int, 1)
                                         when 'outage' then error_count else 0 end,
              last_error = case outcome when 'failed' then message when 'outage' then last_error end,
              gone_at = case when gone then coalesce(gone_at, now())
                             when outcome in ('failed', 'outage') then gone_at end,
              etag = case when validated then ended.etag else source.etag end,
              last_modified = case when validated then ended.last_modified
                                   else source.last_modified end,
              not_modified_in_row = case when validated then 0
                                         when outcome = 'unchanged' then not_modified_in_row + 1
                                         else not_modified_in_row end,
              effective_url = case when moved then ended.effective_url
                                   else source.effective_url end,
              moving_since = case when moved or sightings = 0 then null
                                  when sightings = 1 then now() else moving_since end,
              moving_to = case when moved or sightings = 0 then null
                               when sightings > 0 then ended.moving_to else source.moving_to end,
              moving_sightings = case when moved then 0 else coalesce(sightings, moving_sightings) end
         from finished join ended using (source_id, token) where source.id = finished.source_id
     ), attempted as (
       insert into fetch_attempt (source_id, outcome, message, status, duration_ms, bytes, work_ms,
                                  new_items, changed_items, decision, due_at)
       select source_id, case outcome when 'document' then 'read' else outcome end, message, status,
              duration_ms, bytes, work_ms, new_items, changed_items, decision, due_at
         from finished join ended using (source_id, token)
     )
     select token from finished`;

const WRITE_UNLOCKED = prepared('write-fetches', WRITE_FETCHES('skip locked'));
const WRITE_ALL = prepared('write-fetch', WRITE_FETCHES(''));

/**
 * Writes outcomes to the sources, due dates to their schedules and attempts to their histories, all in one
 * statement, since most fetches bring no articles. Locks a source before its schedule row.
 *
 * @param locks `skip`: omits fetches whose source another transaction holds, so that a set of them never
 *   waits and cannot deadlock
 * @returns tokens of the leases that were valid; nothing was written for the others
 */
export async function writeFetches(
  runner: SqlRunner,
  fetches: readonly EndedFetch[],
  locks: 'wait' | 'skip',
): Promise<ReadonlySet<string>> {
  const rows = await runner.query<{ token: string }>(
    locks === 'skip' ? WRITE_UNLOCKED : WRITE_ALL,
    [JSON.stringify(fetches.map(toRow)), fetches.length],
  );
  return new Set(rows.map(({ token }) => token));
}

function toRow({ lease, record, ingested }: EndedFetch): object {
  const { result, dueInSeconds, restSeconds, address, notes } = record;
  const answered = 'validators' in result ? result.validators : null;
  // Without validators: "not modified" would keep postponed items from ever arriving.
  const validators = ingested.postponedItems > 0 ? NO_VALIDATORS : answered;
  const moved = address.is === 'moved' ? address : null;
  const announced = address.is === 'announced' ? address : null;
  return {
    source_id: lease.sourceId,
    token: lease.token,
    due_in_seconds: dueInSeconds,
    rest_seconds: restSeconds,
    outcome: result.outcome,
    message: 'message' in result ? result.message : describePostponed(ingested.postponedItems),
    gone: result.outcome === 'failed' && result.gone,
    refused: result.outcome === 'failed' && result.refused,
    validated: validators !== null,
    etag: validators?.etag,
    last_modified: validators?.lastModified,
    moved: moved !== null,
    effective_url: moved?.to,
    host_key: moved?.hostKey,
    sightings: announced?.sightings,
    moving_to: announced?.to,
    status: notes.status,
    duration_ms: notes.durationMs,
    bytes: notes.bytes,
    work_ms:
      result.outcome === 'document'
        ? Math.round((result.feed.readMs ?? 0) + ingested.storedMs)
        : null,
    new_items: ingested.newItems,
    changed_items: ingested.changedItems,
    decision: notes.decision,
    asked_at: lease.askedAt,
  };
}

function describePostponed(items: number): string | null {
  return items === 0
    ? null
    : `${items} new entries were postponed: the feed had too many new ones within a day.`;
}
