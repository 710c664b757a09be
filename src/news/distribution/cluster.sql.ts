import type { SqlRunner } from '../../common/sql-runner.js';

/** What the database says of the cluster that it belongs to. */
export interface Cluster {
  readonly isCoordinator: boolean;
  /** Servers that take shards. */
  readonly workers: readonly string[];
  /** Servers of the cluster that were taken out of use. */
  readonly inactive: readonly string[];
}

/** @returns null without the extension Citus */
export async function findCluster(runner: SqlRunner): Promise<Cluster | null> {
  const [extension] = await runner.query<{ isThere: boolean }>(
    `select exists (select from pg_extension where extname = 'citus') as "isThere"`,
  );
  if (extension?.isThere !== true) {
    return null;
  }
  const [cluster] = await runner.query<Cluster>(
    `select citus_is_coordinator() as "isCoordinator",
            array(select nodename || ':' || nodeport from pg_dist_node
                   where isactive and shouldhaveshards and noderole = 'primary'
                   order by 1) as workers,
            array(select nodename || ':' || nodeport from pg_dist_node
                   where not isactive and noderole = 'primary' order by 1) as inactive`,
  );
  return cluster ?? null;
}

/** A server of the cluster as seen from the coordinator. */
export interface ServerCondition {
  readonly server: string;
  /** The error, if it cannot be reached. */
  readonly fault: string | null;
  /**
   * How far its clock is ahead of the coordinator's at least, whenever it was asked; null if it cannot be
   * reached.
   */
  readonly aheadSeconds: number | null;
}

/** Asks each server for its time. */
export async function examineServers(runner: SqlRunner): Promise<ServerCondition[]> {
  return runner.query<ServerCondition>(
    `select nodename || ':' || nodeport as server, case when not success then result end as fault,
            case when success
                 then (result::float8
                       - greatest(least(result::float8, extract(epoch from clock_timestamp())),
                                  extract(epoch from statement_timestamp())))::float8
                 end as "aheadSeconds"
       from run_command_on_workers('select extract(epoch from clock_timestamp())')
      order by server`,
  );
}

/** Shards of the tables of readers and of articles on each server, unused servers included. */
export async function countShards(
  runner: SqlRunner,
): Promise<{ readonly server: string; readonly shards: number }[]> {
  return runner.query(
    `select node.nodename || ':' || node.nodeport as server, count(distinct shard.shardid)::int as shards
       from pg_dist_node node
       left join pg_dist_placement placement on placement.groupid = node.groupid
       left join pg_dist_shard shard on shard.shardid = placement.shardid
                                    and shard.logicalrelid = any($1::text[]::regclass[])
      where node.noderole = 'primary' and node.shouldhaveshards
      group by node.nodename, node.nodeport order by server`,
    [['reader', 'article']],
  );
}
