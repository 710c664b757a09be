import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import type { Transaction } from '../../../database/database.js';
import { TrashOffer } from '../changes/file-changes.service.js';
import { FilesSettings } from '../files.settings.js';
import { Quotas } from '../quotas/quotas.service.js';
import { parentOf, parentAt, type ExistingPath } from '../tree/file-path.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { TreeRemovals } from '../tree/tree-removals.task.js';
import { TrashRepository, type TrashEntry } from './trash.repository.js';

/**
 * Holds deleted trees. The trash of a user takes only room that the files leave free, so it never blocks an
 * upload: the oldest entries are deleted permanently.
 */
@Injectable()
export class Trash {
  constructor(
    private readonly trash: TrashRepository,
    private readonly removals: TreeRemovals,
    private readonly quotas: Quotas,
    private readonly config: Config,
    private readonly settings: FilesSettings,
    private readonly clock: Clock,
    private readonly disk: DiskSpace,
    offer: TrashOffer,
  ) {
    offer.fill(this);
  }

  /**
   * Moves a node with everything below it to the trash; deletes it permanently without a trash, and while
   * the disk is nearly full.
   *
   * @param tx of `NodesRepository.change`; call `TreeRemovals.wake` when it has committed
   */
  async put(tx: Transaction, resolved: ExistingPath): Promise<void> {
    const { node, path, top } = resolved;
    if (this.settings.trashDays === 0 || this.disk.isLow) {
      await this.removals.remove(tx, node);
      return;
    }
    await this.trash.add(tx, node, {
      folderId: parentAt(resolved).parent.id,
      folderPath: [...parentOf(path)],
      deletedSeconds: this.clock.nowSeconds(),
    });
    await this.makeRoom(tx, {
      userId: top.userId,
      sizeBytes: top.sizeBytes - node.sizeBytes,
      nodeCount: top.nodeCount - node.nodeCount - 1,
    });
  }

  /**
   * Permanently deletes the oldest entries that do not fit beside the user's files.
   *
   * @param top the user's top folder
   */
  async makeRoom(
    tx: Transaction,
    { userId, sizeBytes, nodeCount }: Pick<StoredNode, 'userId' | 'sizeBytes' | 'nodeCount'>,
  ): Promise<void> {
    const bytes = await this.quotas.bytesOf(userId, tx);
    const nodes = this.config.limits['files-per-user'];
    const excess = await this.trash.takeExcess(tx, userId, {
      bytes: Math.max(0, bytes - sizeBytes),
      nodes: Math.max(0, nodes - nodeCount),
      entries: this.config.limits['trash-entries-per-user'],
    });
    for (const entry of excess) {
      await this.removeForGood(tx, entry);
    }
  }

  /** Limit of a user's files and trash together, unless the account has its own quota. */
  get most(): { readonly bytes: number; readonly nodes: number } {
    return { bytes: this.quotas.defaultBytes, nodes: this.config.limits['files-per-user'] };
  }

  /** @param entry taken from the trash */
  async removeForGood(tx: Transaction, { rootId, userId, nodeCount }: TrashEntry): Promise<void> {
    await this.removals.remove(tx, { id: rootId, userId, nodeCount: nodeCount - 1 });
  }
}
