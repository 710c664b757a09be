import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { Topology } from '../../database/topology.js';

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

/** The servers of a distributed database. */
@Injectable()
export class ClusterRepository {
  constructor(
    private readonly database: Database,
    private readonly topology: Topology,
  ) {}

  async isDistributed(): Promise<boolean> {
    return this.topology.isDistributed(this.database);
  }

  /** Asks each worker for its time, also one that cannot be reached. */
  async servers(): Promise<ServerCondition[]> {
    return this.database.query<ServerCondition>(
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
  async shardsByServer(): Promise<{ readonly server: string; readonly shards: number }[]> {
    return this.database.query(
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
}
