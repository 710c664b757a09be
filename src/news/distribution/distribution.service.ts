import type { MikroORM } from '@mikro-orm/postgresql';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import {
  closeConnection,
  openConnection,
} from '../../database/connections/dedicated-connection.js';
import { migrate, whileOthersWait } from '../../database/migrate.js';
import {
  DistributionRepository,
  type Cluster,
  type ShardCounts,
} from './distribution.repository.js';

const PROGRAM = 'gatefold database:distribute';

/** Names of this program's connections; the last two are used by migrations. */
const OWN_CONNECTIONS = [PROGRAM, 'gatefold', 'gatefold migrations'];

const WAIT_SECONDS = 10;

export interface Distributed {
  readonly cluster: Cluster;
  /** Newly distributed tables; already distributed ones are unchanged. */
  readonly tables: readonly string[];
}

/**
 * Distributes the tables of readers and of articles over the workers of a Citus cluster, with their rows,
 * in one transaction. Starting processes wait.
 *
 * @param tell called with a line per step
 * @throws CommandRefused when the database is no coordinator with workers, or the service is running
 */
export async function distribute(
  orm: MikroORM,
  shards: ShardCounts,
  tell: (line: string) => void,
): Promise<Distributed> {
  const client = await openConnection(orm, { application_name: PROGRAM });
  const tables = new DistributionRepository(client);
  try {
    const cluster = usable(await tables.cluster());
    await assertUnused(tables, [PROGRAM]);
    await migrate(orm);
    return await whileOthersWait(orm, WAIT_SECONDS, async () => {
      // A process that started since then has a connection for notices.
      await assertUnused(tables, OWN_CONNECTIONS);
      const distributed = await tables.distribute(shards, tell);
      tell('Removing the copied rows from the coordinator …');
      await tables.removeLocalRows();
      return { cluster, tables: distributed };
    });
  } finally {
    await closeConnection(client);
  }
}

async function assertUnused(tables: DistributionRepository, own: readonly string[]): Promise<void> {
  if (await tables.isUsedByOthers(own)) {
    throw new CommandRefused(
      'Processes of Gatefold use the database. Stop all of them: they would go on as if its tables ' +
        'were on one server.',
    );
  }
}

function usable(cluster: Cluster | null): Cluster {
  if (cluster === null) {
    throw new CommandRefused(
      'The database has no extension Citus. Create it on all servers of the cluster, and let ' +
        'DATABASE_URL name the coordinator: docs/scaling.md.',
    );
  }
  if (!cluster.isCoordinator) {
    throw new CommandRefused(
      'DATABASE_URL names a worker of the cluster. Let it name the coordinator.',
    );
  }
  if (cluster.workers.length === 0) {
    throw new CommandRefused(
      'The cluster has no workers that take shards. Add them on the coordinator by ' +
        'citus_set_coordinator_host and citus_add_node: docs/scaling.md.',
    );
  }
  if (cluster.inactive.length > 0) {
    throw new CommandRefused(
      `These servers of the cluster are not active: ${cluster.inactive.join(', ')}. Activate them by ` +
        'citus_activate_node, or remove them by citus_remove_node.',
    );
  }
  return cluster;
}
