import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { BackgroundTasks } from '../../../database/background-tasks.js';
import type { Transaction } from '../../../database/database.js';
import { Regularly } from '../../../database/regularly.js';
import { NodesRepository } from './nodes.repository.js';
import type { StoredNode } from './nodes.sql.js';
import { REMOVAL_BATCH, TreeRemovalsRepository } from './tree-removals.repository.js';

/**
 * Removes trees of any size without a long transaction. Large trees are detached at once and deleted
 * in batches in the background, also after a restart.
 */
@Injectable()
export class TreeRemovals implements BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('Files'));
  #detached = false;

  constructor(
    private readonly nodes: NodesRepository,
    private readonly removals: TreeRemovalsRepository,
  ) {}

  /** @param tx of `NodesRepository.change`; call `wake` when it has committed */
  async remove(
    tx: Transaction,
    node: Pick<StoredNode, 'id' | 'userId' | 'nodeCount'>,
  ): Promise<void> {
    if (node.nodeCount < REMOVAL_BATCH) {
      await this.nodes.remove(tx, node);
      return;
    }
    this.#detached = true;
    await this.removals.detach(tx, node);
  }

  /** Resolves when all nodes of the user are deleted. */
  async removeAllOfUser(userId: string): Promise<void> {
    while (await this.removals.removeSomeOfUser(userId)) {
      // Next batch.
    }
  }

  /** Starts deleting the trees that this process has detached. */
  wake(): void {
    if (this.#detached) {
      this.#detached = false;
      void this.drain();
    }
  }

  /** Resumes removals that another process did not finish. */
  @Regularly('files-removals', 60)
  async tick(): Promise<void> {
    await this.drain();
  }

  /** Resolves when no detached tree is left. */
  async drain(): Promise<void> {
    await this.#tasks.run('removing large folders', async (signal) => {
      while (!signal.aborted && (await this.removals.removeSome())) {
        // Next batch.
      }
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }
}
