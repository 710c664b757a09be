import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { sourcePage, sourceTotals, type SourceSelection } from './source-list.sql.js';

/** A source, how it is doing and when it is due. */
export interface SourceLine {
  readonly sourceId: number;
  readonly title: string;
  /** As it was subscribed to, secrets included. */
  readonly address: string;
  readonly hostKey: string;
  readonly dueAtSeconds: number;
  /** Being fetched at this moment. */
  readonly leased: boolean;
  readonly followers: number;
  readonly errorCount: number;
  /** What the latest attempt decided; null before the first. */
  readonly why: string | null;
}

/** Of the sources that somebody follows. */
export interface SourceTotals {
  /** The database's clock, in unix seconds. */
  readonly nowSeconds: number;
  readonly all: number;
  readonly failing: number;
  readonly overdue: number;
  readonly found: number;
}

/** Lists of all sources that somebody follows, whoever that is: for administrators alone. */
@Injectable()
export class SourceListsRepository {
  constructor(private readonly database: Database) {}

  async totals(search: string): Promise<SourceTotals> {
    const { sql, params } = sourceTotals(search);
    const [totals] = await this.database.query<SourceTotals>(sql, params);
    return totals ?? { nowSeconds: 0, all: 0, failing: 0, overdue: 0, found: 0 };
  }

  /** The page's ids first, so that what is skipped costs no look at followers and attempts. */
  async page(selection: SourceSelection): Promise<SourceLine[]> {
    const { sql, params } = sourcePage(selection);
    const ids = (await this.database.query<{ id: number }>(sql, params)).map(({ id }) => id);
    return this.database.query<SourceLine>(
      `select source.id as "sourceId", source.title, source.url as address, host_key as "hostKey",
              extract(epoch from due_at)::bigint as "dueAtSeconds",
              lease_token is not null and due_at > now() as leased,
              (select count(*) from subscription s
                where s.source_id = source.id and s.deleted_at is null)::int as followers,
              source.error_count as "errorCount",
              (select decision from fetch_attempt attempt
                where attempt.source_id = source.id order by attempt.id desc limit 1) as why
         from unnest($1::bigint[]) with ordinality as wanted (id, place)
         join source on source.id = wanted.id
         join source_schedule on source_schedule.source_id = source.id
        order by wanted.place`,
      [ids],
    );
  }
}
