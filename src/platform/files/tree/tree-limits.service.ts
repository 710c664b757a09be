import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import type { Transaction } from '../../../database/database.js';
import { TooManyFiles, TreeTooLarge } from '../files.errors.js';
import { Quotas } from '../quotas/quotas.service.js';
import type { StoredNode } from './nodes.sql.js';
import { TreeRemovalsRepository } from './tree-removals.repository.js';

/** Limits on the files and folders of one user and of one request. */
@Injectable()
export class TreeLimits {
  constructor(
    private readonly removals: TreeRemovalsRepository,
    private readonly quotas: Quotas,
    private readonly config: Config,
  ) {}

  /**
   * Counts detached trees too: creating and deleting in a loop would otherwise outrun the removal.
   *
   * @param tx of `NodesRepository.change`
   * @param top the user's top folder
   * @param added files and folders
   * @throws TooManyFiles
   */
  async assertRoomFor(tx: Transaction, top: StoredNode, added: number): Promise<void> {
    const most = this.config.limits['files-per-user'];
    const pending = await this.removals.pendingNodes(tx, top.userId);
    if (added > 0 && top.nodeCount + pending + added > most) {
      throw new TooManyFiles(most);
    }
  }

  /**
   * @param tx of `NodesRepository.change`
   * @param top the user's top folder
   * @param replacedBytes bytes of overwritten content
   * @throws QuotaExceeded
   */
  async assertRoomForBytes(
    tx: Transaction,
    top: StoredNode,
    addedBytes: number,
    replacedBytes = 0,
  ): Promise<void> {
    (await this.quotas.roomFor(top, replacedBytes, tx)).assertFits(addedBytes);
  }

  /** @param bytes dead properties of all files of a user, after the change */
  assertPropertiesFit(bytes: number): void {
    assertBelowLimit(this.config, 'property-bytes-per-user', bytes, 0);
  }

  /**
   * @param nodes files and folders that a request would copy, list or archive
   * @throws TreeTooLarge
   */
  assertWithinRequestLimit(nodes: number): void {
    const most = this.config.limits['files-per-request'];
    if (nodes > most) {
      throw new TreeTooLarge(nodes, most);
    }
  }
}
