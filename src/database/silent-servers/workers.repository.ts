import type { SqlRunner } from '../../common/sql-runner.js';

/** New connections learn at once that a worker does not answer; kept ones would wait. */
export const ASK_WORKERS_ANEW =
  "set citus.node_connection_timeout = '1s'; set citus.max_cached_conns_per_worker = 0";

/** Workers that leave the coordinator waiting, as `host:port`; not those that refuse connections. */
export async function listSilentWorkers(runner: SqlRunner): Promise<string[]> {
  const rows = await runner.query<{ server: string }>(
    `select server from (
       select nodename || ':' || nodeport as server, clock_timestamp() as began,
              citus_check_connection_to_node(nodename, nodeport) as answers, clock_timestamp() as ended
         from pg_dist_node where isactive and groupid <> 0 and noderole = 'primary' offset 0) asked
      where not answers and ended - began > interval '0.5 s'`,
  );
  return rows.map(({ server }) => server);
}

/** Ends our sessions that wait for a worker. @returns their process ids */
export async function endWaitingSessions(runner: SqlRunner): Promise<number[]> {
  const rows = await runner.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'gatefold' and state = 'active'
        and wait_event = 'ClientRead' and query_start < clock_timestamp() - interval '1 s'`,
  );
  return rows.map(({ pid }) => pid);
}

/** Uses metadata of the coordinator. */
export async function isReaderOn(
  runner: SqlRunner,
  workers: readonly string[],
  readerId: number,
): Promise<boolean> {
  const rows = await runner.query(
    `select 1 from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('reader', $1::bigint)
        and nodename || ':' || nodeport = any($2)`,
    [readerId, workers],
  );
  return rows.length > 0;
}
