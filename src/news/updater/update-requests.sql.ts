import { randomUUID } from 'node:crypto';
import type { SqlRunner } from '../../database/database.js';
import { prepared } from '../../database/prepared.js';
import {
  leaseOf,
  takingLease,
  TAKEN_LEASE,
  type Lease,
  type LeasedSource,
} from '../sources/schedule/claim.sql.js';
import { SOURCE_COLUMNS, SOURCE_TABLES, type Source } from '../sources/sources.sql.js';

/** A request of an updater's script for one feed. */
export interface UpdateRequest {
  readonly sourceId: number;
  /** Whether the source was fetched for another feed of this round, after the last request for this. */
  readonly askedSinceServed: boolean;
  /** Whether the feed has articles to deliver. */
  readonly isPending: boolean;
  /** Null when the source is not to be fetched. */
  readonly lease: Lease | null;
}

type RequestRow = Pick<UpdateRequest, 'askedSinceServed' | 'isPending'> & {
  readonly at: string | null;
} & (LeasedSource | (Source & { readonly token: null }));

/** Beginning of the tokens of this process, whose requests for one source share a fetch. */
const PROCESS = randomUUID().slice(0, 13);

/** An updater's round over all feeds of all users lasts no longer than this. */
const ROUND_SECONDS = 900;

const BEGIN_UPDATE = prepared(
  'begin-update',
  `with request as (
       select s.id, s.source_id, source.rev > s.delivered_rev as "isPending",
              coalesce(source.asked_at > coalesce(s.update_served_at, s.added_at)
                       and source.asked_at > now() - make_interval(secs => $3), false)
                as "askedSinceServed"
         from subscription s
         join source on source.id = s.source_id
        where s.reader_id = $1 and s.id = $2 and s.deleted_at is null
     ), leased as (
       update source_schedule set ${takingLease('$5::uuid')}
         from request
        where source_schedule.source_id = request.source_id and not "askedSinceServed"
          and request.source_id <> all($4::bigint[])
          and (lease_token is null or due_at <= now()
               or left(lease_token::text, ${PROCESS.length}) <> left($5::uuid::text, ${PROCESS.length}))
       returning ${TAKEN_LEASE}, clock_timestamp()::text as at
     ), served as (
       update subscription set update_served_at = clock_timestamp()
         from request left join leased on true
        where subscription.reader_id = $1 and subscription.id = request.id
     )
     select "isPending", "askedSinceServed", at, token, "hostKey", spaced,
            ${SOURCE_COLUMNS}
       from ${SOURCE_TABLES}
       join request on request.source_id = source.id
       left join leased on leased.source_id = source.id`,
);

/**
 * Notes the request and leases the feed's source, due or not, with its state, unless a request of this
 * process has leased it. The source gets the time of the lease when its fetch is written, so that
 * requests for other feeds of the source that are older find it. A request that waited for another's
 * lease is noted after it.
 *
 * @param running sources that are being fetched already, and are not leased
 * @returns null when the user has no such feed
 */
export async function beginUpdate(
  runner: SqlRunner,
  readerId: number,
  feedId: number,
  running: readonly number[],
): Promise<UpdateRequest | null> {
  const [row] = await runner.query<RequestRow>(BEGIN_UPDATE, [
    readerId,
    feedId,
    ROUND_SECONDS,
    running,
    PROCESS + randomUUID().slice(PROCESS.length),
  ]);
  if (row === undefined) {
    return null;
  }
  const { isPending, askedSinceServed, at, ...source } = row;
  const lease = source.token === null ? null : leaseOf(source, at ?? undefined);
  return { sourceId: source.id, isPending, askedSinceServed, lease };
}
