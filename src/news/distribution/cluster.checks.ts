import { Injectable } from '@nestjs/common';
import { InstallationChecks, type CheckFinding } from '../../common/ports/installation-checks.js';
import { ClusterRepository, type ServerCondition } from './cluster.repository.js';

/** Stamps of a reader's changes come from the clock of the worker with its rows. */
const CLOCK_OFF_SECONDS = 2;

/** Examines the servers of a distributed database, for `gatefold doctor`. */
@Injectable()
export class ClusterChecks {
  constructor(
    checks: InstallationChecks,
    private readonly cluster: ClusterRepository,
  ) {
    checks.add('Database servers', () => this.#examine());
  }

  async #examine(): Promise<CheckFinding[]> {
    if (!(await this.cluster.isDistributed())) {
      return [{ state: 'off', text: 'All tables are on one server.' }];
    }
    const [servers, shards] = await Promise.all([
      this.cluster.servers(),
      this.cluster.shardsByServer(),
    ]);
    const unused = shards.filter(({ shards: count }) => count === 0);
    return [
      {
        state: 'ok',
        text: `Readers and articles are distributed; shards by server: ${shards
          .map(({ server, shards: count }) => `${server} (${count})`)
          .join(', ')}.`,
      },
      ...servers.flatMap(findingsOf),
      ...unused.map(({ server }): CheckFinding => ({
        state: 'warning',
        text: `The server ${server} has no shards.`,
        advice: 'Run "select citus_rebalance_start()" on the coordinator: docs/scaling.md.',
      })),
    ];
  }
}

function findingsOf({ server, fault, aheadSeconds }: ServerCondition): CheckFinding[] {
  if (fault !== null) {
    return [
      {
        state: 'error',
        text: `The server ${server} cannot be reached: ${fault}`,
        advice: 'Readers and articles on it are answered 503 until it is back.',
      },
    ];
  }
  const off = Math.abs(aheadSeconds ?? 0);
  return off <= CLOCK_OFF_SECONDS
    ? []
    : [
        {
          state: 'warning',
          text: `The clock of the server ${server} differs by ${off.toFixed(1)} s from the coordinator's.`,
          advice: 'Set the clocks of all servers by NTP.',
        },
      ];
}
