import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { countShards, examineServers, type ServerCondition } from './cluster.sql.js';
import { Topology } from './topology.repository.js';

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

  /** Each worker, also one that cannot be reached. */
  async servers(): Promise<ServerCondition[]> {
    return examineServers(this.database);
  }

  /** Shards of readers and of articles on each server that takes some. */
  async shardsByServer(): Promise<{ readonly server: string; readonly shards: number }[]> {
    return countShards(this.database);
  }
}
