import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Cron } from '@nestjs/schedule';
import type { SqlRunner } from '../../database/database.js';
import { NodesRepository, type StoredNode } from './nodes.repository.js';
import { REMOVAL_BATCH, TreeRemovalsRepository } from './tree-removals.repository.js';

/**
 * Removes trees of any size without a long transaction: small ones at once, large ones leave their
 * user's tree at once and are cleared away in the background, also after a restart.
 */
@Injectable()
export class TreeRemovals implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Files');
  #round: Promise<void> | undefined;
  #stopped = false;
  #detached = false;

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly nodes: NodesRepository,
    private readonly removals: TreeRemovalsRepository,
  ) {}

  /** @param tx the user's change; call `wake` once it has committed */
  async remove(tx: SqlRunner, node: StoredNode): Promise<void> {
    if (node.nodeCount < REMOVAL_BATCH) {
      await this.nodes.remove(tx, node);
      return;
    }
    this.#detached = true;
    await this.removals.detach(tx, node);
  }

  /** Everything a user has; resolves when it is gone. */
  async removeAllOfUser(userId: string): Promise<void> {
    while (await this.removals.removeSomeOfUser(userId)) {
      // Another batch.
    }
  }

  /** Begins to clear away what this process has detached. */
  wake(): void {
    if (this.#detached) {
      this.#detached = false;
      void this.drain();
    }
  }

  /** What a process that stopped has left. */
  @Cron('30 * * * * *', { name: 'files-removals', waitForCompletion: true })
  async tick(): Promise<void> {
    if (this.http.listening) {
      await this.drain();
    }
  }

  /** Resolves when no detached tree is left. */
  async drain(): Promise<void> {
    this.#round ??= this.#removeAll().finally(() => (this.#round = undefined));
    await this.#round;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    await this.#round;
  }

  async #removeAll(): Promise<void> {
    try {
      while (!this.#stopped && (await this.removals.removeSome())) {
        // Another batch.
      }
    } catch (error) {
      // The database may be away for a moment; the next tick tries again.
      this.#logger.error(`Removing large folders failed, will retry: ${(error as Error).message}`);
    }
  }
}
