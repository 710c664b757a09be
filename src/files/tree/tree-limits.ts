import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import type { SqlRunner } from '../../database/database.js';
import { TooManyFiles, TreeTooLarge } from '../files.errors.js';
import type { StoredNode } from './nodes.repository.js';
import { TreeRemovalsRepository } from './tree-removals.repository.js';

/** How many files and folders one user may keep, and one request may be about. */
@Injectable()
export class TreeLimits {
  constructor(
    private readonly removals: TreeRemovalsRepository,
    private readonly config: Config,
  ) {}

  /**
   * What is removed but still being cleared away counts, too: otherwise making and removing would
   * fill the database faster than it can be cleared.
   *
   * @param tx the user's change
   * @param top the user's top folder
   * @param added files and folders
   * @throws TooManyFiles
   */
  async assertRoomFor(tx: SqlRunner, top: StoredNode, added: number): Promise<void> {
    const most = this.config.limits['files-per-user'];
    const pending = await this.removals.pendingNodes(tx, top.userId);
    if (added > 0 && top.nodeCount + pending + added > most) {
      throw new TooManyFiles(most);
    }
  }

  /**
   * @param nodes files and folders that a request would copy, list or archive
   * @throws TreeTooLarge
   */
  assertFewEnough(nodes: number): void {
    const most = this.config.limits['files-per-request'];
    if (nodes > most) {
      throw new TreeTooLarge(nodes, most);
    }
  }
}
