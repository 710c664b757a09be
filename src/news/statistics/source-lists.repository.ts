import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { SourceEntity } from '../tables/source.entity.js';

/**
 * `errors`: most in a row first; `due`: earliest first; `title`: by the title or address shown; `work` and
 * `bytes`: those that took the most within the last day first.
 */
export type SourceOrder = 'errors' | 'due' | 'title' | 'work' | 'bytes';

/** A page of the sources that have followers. */
export interface SourceSelection {
  /** Part of a title or of a shown address, case-insensitive; empty finds all. */
  readonly search: string;
  readonly order: SourceOrder;
  readonly limit: number;
  readonly offset: number;
}

const LINE_ROW = selectList(SourceEntity, 'source', ['title', 'errorCount']);

export type SourceLine = RowOf<typeof LINE_ROW> & {
  readonly sourceId: number;
  /** The subscribed address, secrets included. */
  readonly address: string;
  readonly hostKey: string;
  readonly dueAtSeconds: number;
  /** Being fetched now. */
  readonly leased: boolean;
  readonly followers: number;
  /** Reason for the due date; null before the first attempt. */
  readonly why: string | null;
  /** Processor time of reading its documents of the last day, and time of storing them. */
  readonly workMs: number;
  /** Of its documents of the last day, decoded. */
  readonly bytes: number;
};

/** Numbers of sources that have followers. */
export interface SourceTotals {
  /** The database's clock, in unix seconds. */
  readonly nowSeconds: number;
  readonly all: number;
  readonly failing: number;
  /** The setting that most of them name; empty if most name none. */
  readonly failingBy: string | null;
  readonly overdue: number;
  /** New ones that nobody has tried to fetch yet. */
  readonly untried: number;
  /** Number of sources that match the search. */
  readonly found: number;
}

/** Excludes sources of added items, which are never fetched. */
const FOLLOWED = `source.given_to is null
  and exists (select 1 from follower s where s.source_id = source.id)`;

/** `url` is not searched: a searchable secret can be guessed letter by letter. */
const MATCHES = `(strpos(lower(source.title), lower($1)) > 0
                  or strpos(lower(source.shown_address), lower($1)) > 0)`;

const A_DAY_AGO = `now() - interval '1 day'`;

/** Reads the newest of all attempts: 0.1 s per 100,000. */
const USE = `left join (
  select source_id, sum(work_ms) as work_ms, sum(bytes) as bytes
    from (select source_id, work_ms, bytes from fetch_attempt where at >= ${A_DAY_AGO} order by at desc limit 500000) attempt
   group by source_id) used on used.source_id = source.id`;

const ORDERS: Readonly<Record<SourceOrder, string>> = {
  work: 'coalesce(used.work_ms, 0) desc, source.id',
  bytes: 'coalesce(used.bytes, 0) desc, source.id',
  errors: 'source.error_count desc, source.id',
  due: 'source_schedule.due_at, source.id',
  title: "lower(left(coalesce(nullif(source.title, ''), source.shown_address), 100)), source.id",
};

/** Lists of all sources that have followers. Checks no owner: for administrators only. */
@Injectable()
export class SourceListsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Failing and overdue sources are counted by index; all of them are read for the rest, in about 0.2 s
   * per 100,000.
   */
  async totals(search: string): Promise<SourceTotals> {
    const [totals] = await this.database.query<SourceTotals>(
      `select extract(epoch from now())::bigint as "nowSeconds", counted.*,
             (select count(*) from source
               where source.error_count > 0 and ${FOLLOWED})::int as failing,
             (select mode() within group (order by coalesce(substring(last_error from 'GATEFOLD_[A-Z_]+'), ''))
                from source where source.error_count > 0 and ${FOLLOWED}) as "failingBy",
             (select count(*) from source_schedule join source on source.id = source_id
               where due_at <= now() and ${FOLLOWED})::int as overdue
        from (select count(*)::int as all,
                     (count(*) filter (where fetched_at is null and error_count = 0))::int as untried,
                     (count(*) filter (where $1 = '' or ${MATCHES}))::int as found
                from source where ${FOLLOWED}) counted`,
      [search],
    );
    const none = { all: 0, failing: 0, failingBy: null, overdue: 0, untried: 0, found: 0 };
    return totals ?? { nowSeconds: 0, ...none };
  }

  /** Wait of the longest due source; 0 when none is due. Uses source_schedule_due_at_index. */
  async oldestDueSeconds(): Promise<number> {
    const [oldest] = await this.database.query<{ seconds: number }>(
      `select extract(epoch from now() - due_at)::bigint as seconds
         from source_schedule join source on source.id = source_id
        where due_at <= now() and ${FOLLOWED}
        order by due_at limit 1`,
    );
    return oldest?.seconds ?? 0;
  }

  /** Selects the ids first, so that skipped rows cost no look-up of followers and attempts. */
  async page(selection: SourceSelection): Promise<SourceLine[]> {
    const sourceIds = await this.#idsOfPage(selection);
    return this.database.query<SourceLine>(
      `select ${LINE_ROW}, source.id as "sourceId", source.url as address, host_key as "hostKey",
              extract(epoch from due_at)::bigint as "dueAtSeconds",
              lease_token is not null and due_at > now() as leased,
              (select count(*) from follower s
                where s.source_id = source.id and s.deleted_at is null)::int as followers,
              (select decision from fetch_attempt attempt
                where attempt.source_id = source.id order by attempt.id desc limit 1) as why,
              (select coalesce(sum(work_ms), 0) from fetch_attempt attempt
                where attempt.source_id = source.id and at >= ${A_DAY_AGO})::bigint as "workMs",
              (select coalesce(sum(bytes), 0) from fetch_attempt attempt
                where attempt.source_id = source.id and at >= ${A_DAY_AGO})::bigint as bytes
         from unnest($1::bigint[]) with ordinality as wanted (id, place)
         join source on source.id = wanted.id
         join source_schedule on source_schedule.source_id = source.id
        order by wanted.place`,
      [sourceIds],
    );
  }

  /**
   * Uses source_error_count_index, source_schedule_due_at_index or source_shown_name_index, up to the
   * limit; a search reads every source until it has enough.
   */
  async #idsOfPage({ search, order, limit, offset }: SourceSelection): Promise<number[]> {
    const schedule = 'join source_schedule on source_schedule.source_id = source.id';
    const joined = order === 'work' || order === 'bytes' ? USE : order === 'due' ? schedule : '';
    const rows = await this.database.query<{ id: number }>(
      `select source.id from source ${joined}
       where ${FOLLOWED} and ($1 = '' or ${MATCHES})
       order by ${ORDERS[order]} limit $2 offset $3`,
      [search, limit, offset],
    );
    return rows.map(({ id }) => id);
  }
}
