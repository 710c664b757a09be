import { Injectable } from '@nestjs/common';
import type { Use } from '../../common/http/account-use.js';
import { Database } from '../../database/database.js';
import { entityOf, p } from '../../database/entity-of.js';

/** A process within five minutes. */
export interface Sample {
  readonly version: string;
  /** Of one processor. */
  readonly processorPercent: number;
  /** Load of the machine, of all its processors. */
  readonly loadPercent: number;
  /** Of metrics; null without the metric. */
  readonly [metric: `${string}${'Bytes' | 'Jobs' | 'Feeds'}`]: number | null;
}

/** Of all processes together; null without the metric. */
type SampleOfAll = Record<
  'memoryBytes' | 'diskSpareBytes' | 'queuedJobs' | 'dueFeeds',
  number | null
> &
  Record<'at' | 'processes' | 'processorPercent' | 'loadPercent', number>;

interface LatestSample {
  readonly name: string;
  readonly version: string;
  readonly at: number;
  readonly memoryBytes: number | null;
}

type AccountUse = Omit<Use, 'userId'> & { readonly id: string; readonly displayName: string };

/** As versions before stored it. */
type StoredUse = readonly [userId: string, requests: number, databaseMs: number, bytes: number];

export class ProcessSampleEntity extends entityOf('process_sample', {
  at: p.datetime().primary(),
  process: p.text().primary(),
  sample: p.json().$type<Sample>(),
  accounts: p.json().$type<readonly StoredUse[]>(),
}) {}

export const SAMPLE_SECONDS = 300;
const KEPT = `interval '1 day'`;
/** Of each kind of use. */
const DEAREST = 10;
const number = (how: string, name: string) =>
  `${how}((sample ->> '${name}')::bigint)::bigint as "${name}"`;

/** Samples of all processes within the last day; older ones are removed with each new one. */
@Injectable()
export class OverviewRepository {
  constructor(private readonly database: Database) {}

  /** Of a process that began anew within five minutes, the later sample counts. */
  async add(process: string, sample: Sample, uses: readonly Use[]): Promise<void> {
    const accounts = uses.map(({ userId, requests, databaseMs, bytes }): StoredUse => [
      userId,
      requests,
      databaseMs,
      bytes,
    ]);
    await this.database.query(
      `with old as (delete from process_sample where at < now() - ${KEPT})
       insert into process_sample as p (at, process, sample, accounts)
       values (to_timestamp(floor(extract(epoch from now()) / $1) * $1), $2, $3, $4)
       on conflict (at, process) do update
          set sample = excluded.sample, accounts = p.accounts || excluded.accounts`,
      [SAMPLE_SECONDS, process, JSON.stringify(sample), JSON.stringify(accounts)],
    );
  }

  /** All processes together by five minutes, oldest first. Times are unix seconds. */
  async day() {
    return this.database.query<SampleOfAll>(
      `select extract(epoch from at)::bigint as at, count(*)::int as processes,
              ${number('sum', 'processorPercent')}, ${number('max', 'loadPercent')},
              ${number('sum', 'memoryBytes')}, ${number('min', 'diskSpareBytes')},
              ${number('max', 'queuedJobs')}, ${number('max', 'dueFeeds')}
         from process_sample where at >= now() - ${KEPT} group by 1 order by 1`,
    );
  }

  /** The latest sample of each process that runs. */
  async processes() {
    return this.database.query<LatestSample>(
      `select distinct on (process) process as name, sample ->> 'version' as version,
              extract(epoch from at)::bigint as at, ${number('', 'memoryBytes')}
         from process_sample where at >= now() - make_interval(secs => $1)
        order by process, process_sample.at desc`,
      [2 * SAMPLE_SECONDS],
    );
  }

  /** Accounts with the most time on the database, and those with the most bytes. */
  async accounts() {
    return this.database.query<AccountUse>(
      `select user_id as id, display_name as "displayName", requests, "databaseMs", bytes
         from (select use ->> 0 as user_id, sum((use ->> 1)::int)::int as requests,
                      round(sum((use ->> 2)::float8))::bigint as "databaseMs",
                      sum((use ->> 3)::bigint)::bigint as bytes,
                      row_number() over (order by sum((use ->> 2)::float8) desc) as by_time,
                      row_number() over (order by sum((use ->> 3)::bigint) desc) as by_bytes
                 from process_sample, jsonb_array_elements(accounts) as use
                where at >= now() - ${KEPT} group by 1) used join account using (user_id)
        where by_time <= ${DEAREST} or by_bytes <= ${DEAREST} order by "databaseMs" desc, user_id`,
    );
  }

  /** @returns unix seconds of the last backup in the audit log, if there is one */
  async lastBackup(): Promise<number | null> {
    const [event] = await this.database.query<{ at: number }>(
      `select extract(epoch from happened_at)::bigint as at
         from security_event where kind = 'backup_written' order by id desc limit 1`,
    );
    return event?.at ?? null;
  }

  async forget(userId: string): Promise<void> {
    await this.database.query(
      `update process_sample set accounts = (
         select coalesce(jsonb_agg(use), '[]') from jsonb_array_elements(accounts) as use
          where use ->> 0 <> $1)
        where accounts @> jsonb_build_array(jsonb_build_array($1::text))`,
      [userId],
    );
  }
}
