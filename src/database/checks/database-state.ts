import type { SqlRunner } from '../database.js';
import { JOB_SCHEMA } from '../job-schema.js';
import { DEAD_LETTERS } from '../jobs/job-kind.js';

export interface ServerState {
  readonly version: number;
  readonly versionName: string;
  readonly bytes: number;
  readonly isReadOnly: boolean;
  readonly encoding: string;
  readonly connections: number;
  readonly mostConnections: number;
  /** Transactions since the oldest row that is not frozen; the server stops at two billions. */
  readonly frozenAge: number;
  readonly nowMicros: number;
}

export async function serverState(runner: SqlRunner): Promise<ServerState> {
  const [row] = await runner.query<ServerState>(
    `select current_setting('server_version_num')::int as version,
            current_setting('server_version') as "versionName",
            pg_database_size(current_database()) as bytes,
            pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
            current_setting('server_encoding') as encoding,
            (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
            current_setting('max_connections')::int as "mostConnections",
            (select age(datfrozenxid) from pg_database where datname = current_database()) as "frozenAge",
            (extract(epoch from clock_timestamp()) * 1000000)::bigint as "nowMicros"`,
  );
  if (row === undefined) {
    throw new Error('The server does not describe itself.');
  }
  return row;
}

export async function serverSettings(
  runner: SqlRunner,
  names: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runner.query<{ name: string; value: string }>(
    'select name, setting as value from pg_settings where name = any($1::text[])',
    [names],
  );
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Tables with more dead rows than a clean-up by the server should leave. */
export async function bloatedTables(runner: SqlRunner): Promise<string[]> {
  const rows = await runner.query<{ name: string }>(
    `select relname as name from pg_stat_user_tables
      where n_dead_tup > 100000 and n_dead_tup > 0.5 * n_live_tup
      order by n_dead_tup desc limit 5`,
  );
  return rows.map(({ name }) => name);
}

/** Sequences of which more than this share is used. */
export async function usedUpSequences(runner: SqlRunner, share: number): Promise<string[]> {
  const rows = await runner.query<{ name: string }>(
    `select sequencename as name from pg_sequences
      where schemaname in (current_schema, $2) and last_value > max_value * $1::numeric`,
    [share, JOB_SCHEMA],
  );
  return rows.map(({ name }) => name);
}

/** Numbers of sessions that disturb others. */
export interface DisturbingSessions {
  /** Sessions with a transaction of more than an hour. */
  readonly long: number;
  /** Sessions that have waited for a lock for more than a minute. */
  readonly waiting: number;
}

export async function disturbingSessions(runner: SqlRunner): Promise<DisturbingSessions> {
  const [row] = await runner.query<DisturbingSessions>(
    `select (count(*) filter (where xact_start < now() - interval '1 hour'))::int as long,
            (count(*) filter (where wait_event_type = 'Lock'
                                and query_start < now() - interval '1 minute'))::int as waiting
       from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'
        and application_name <> 'gatefold backup'`,
  );
  return row ?? { long: 0, waiting: 0 };
}

/** Jobs of one queue. */
export interface QueueCheck {
  readonly name: string;
  readonly isDeadLetters: boolean;
  readonly jobs: number;
  /** Age of the oldest job that should have run. */
  readonly oldestSeconds: number;
}

export async function unfinishedJobs(runner: SqlRunner): Promise<QueueCheck[]> {
  return runner.query<QueueCheck>(
    `select case when right(name, length($1)) = $1 then left(name, -length($1)) else name end as name,
            right(name, length($1)) = $1 as "isDeadLetters", count(*)::int as jobs,
            coalesce(extract(epoch from now() - min(start_after)), 0)::int as "oldestSeconds"
       from ${JOB_SCHEMA}.job where state < 'completed' and start_after <= now()
      group by name order by name`,
    [DEAD_LETTERS],
  );
}
