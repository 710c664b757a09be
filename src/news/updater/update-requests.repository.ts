import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Database } from '../../database/database.js';
import { prepared } from '../../database/prepared.js';
import {
  leaseOf,
  IS_RESTING,
  takingLease,
  TAKEN_LEASE,
  type Lease,
  type LeasedSource,
} from '../sources/schedule/schedule.sql.js';
import { SOURCE_COLUMNS, SOURCE_TABLES, type Source } from '../sources/sources.sql.js';

/** A request of an updater's script for one feed. */
export interface UpdateRequest {
  readonly sourceId: number;
  /** Whether the source was fetched for another feed of this round, after the last request for this. */
  readonly askedSinceServed: boolean;
  /** Whether its publisher asked for no requests now. */
  readonly isResting: boolean;
  /** Whether the feed has articles to deliver. */
  readonly isPending: boolean;
  /** Null when the source is not to be fetched. */
  readonly lease: Lease | null;
}

/** Columns of the source's rows. */
type RequestRow = Pick<UpdateRequest, 'askedSinceServed' | 'isResting' | 'isPending'> & {
  readonly at: string | null;
} & (LeasedSource | (Source & { readonly token: null }));

/** Token prefix of this process, whose requests for one source share a fetch. */
const PROCESS = randomUUID().slice(0, 13);

/** An updater's round over all feeds of all users lasts no longer than this. */
const ROUND_SECONDS = 900;

const FIND_FEED = prepared(
  'update-request-feed',
  `select source_id as "sourceId", delivered_rev as "deliveredRev",
          coalesce(update_served_at, added_at)::text as "servedAt"
     from subscription where reader_id = $1 and id = $2 and deleted_at is null`,
);

/** Writes to sources only, so that the times are of one clock wherever readers are. */
const BEGIN_UPDATE = prepared(
  'begin-update',
  `with request as (
       select id, rev > $2::bigint as "isPending", ${IS_RESTING} as "isResting",
              coalesce(asked_at > $3::timestamptz
                       and asked_at > now() - make_interval(secs => ${ROUND_SECONDS}), false)
                as "askedSinceServed"
         from source left join source_schedule schedule on schedule.source_id = id
         left join host_state host using (host_key)
        where id = $1
     ), leased as (
       update source_schedule set ${takingLease('$5::uuid')}
         from request
        where source_schedule.source_id = request.id and not ("askedSinceServed" or "isResting")
          and request.id <> all($4::bigint[])
          and (lease_token is null or due_at <= now()
               or left(lease_token::text, ${PROCESS.length}) <> left($5::uuid::text, ${PROCESS.length}))
       returning ${TAKEN_LEASE}, clock_timestamp()::text as at
     )
     select "isPending", "isResting", "askedSinceServed", at, token, "hostKey", spaced,
            ${SOURCE_COLUMNS}
       from ${SOURCE_TABLES}
       join request on request.id = source.id
       left join leased on leased.source_id = source.id`,
);

/** Uses the clock of the sources' server, even where readers are on others. */
const NOTE_REQUEST = prepared(
  'note-update-request',
  'update subscription set update_served_at = statement_timestamp() where reader_id = $1 and id = $2',
);

/** The task of `UpdateCycle.keepHouse` that a process with the schedule does every minute. */
export const EVERY_MINUTE = 'reset-dates';

/** Requests of an administrator's script for single feeds. */
@Injectable()
export class UpdateRequestsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Leases the feed's source, due or not, with its state, unless it rests or a request of this process has
   * leased it, and notes the request. The source gets the time of the lease when its fetch is written, so that
   * requests for other feeds of the source that are older find it. A request that waited for another's lease is
   * noted after it. One that is not noted, since the process ended, may be answered by the fetch that it began.
   *
   * @param running sources that are being fetched already, and are not leased
   * @returns null when the user has no such feed
   */
  async begin(
    readerId: number,
    feedId: number,
    running: readonly number[],
  ): Promise<UpdateRequest | null> {
    const [feed] = await this.database.query<{
      readonly sourceId: number;
      readonly deliveredRev: number;
      readonly servedAt: string;
    }>(FIND_FEED, [readerId, feedId]);
    if (feed === undefined) {
      return null;
    }
    const { sourceId, deliveredRev, servedAt } = feed;
    const token = PROCESS + randomUUID().slice(PROCESS.length);
    const [rows] = await this.database.queryTogether([
      { sql: BEGIN_UPDATE, params: [sourceId, deliveredRev, servedAt, running, token] },
      { sql: NOTE_REQUEST, params: [readerId, feedId] },
    ]);
    const [row] = rows as RequestRow[];
    if (row === undefined) {
      return null;
    }
    const { isPending, isResting, askedSinceServed, at, ...source } = row;
    const lease = source.token === null ? null : leaseOf(source, at ?? undefined);
    return { sourceId: source.id, isPending, isResting, askedSinceServed, lease };
  }

  /**
   * When an updater was last at work, in unix seconds of the database's clock: a script with a feed, or the schedule
   * of any process. With none yet, when the first feed was added; null without feeds. Reads every feed.
   */
  async lastSeconds(): Promise<number | null> {
    const [row] = await this.database.query<{ seconds: number | null }>(
      `select extract(epoch from greatest(
                (select coalesce(max(update_served_at), min(added_at)) from subscription),
                (select done_at from housekeeping where task = '${EVERY_MINUTE}')))::bigint as seconds`,
    );
    return row?.seconds ?? null;
  }
}
