import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { BackgroundTasks } from '../../../database/background-tasks.js';
import { Regularly } from '../../../database/regularly.js';
import { FilesSettings } from '../files.settings.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import { TreeRemovals } from '../tree/tree-removals.task.js';
import { Trash } from './trash-trees.service.js';
import { TrashRepository } from './trash.repository.js';

const BATCH = 100;

/** Permanently deletes entries that are old enough, or whose room files have taken. */
@Injectable()
export class TrashSweep implements BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('Files'));

  constructor(
    private readonly nodes: NodesRepository,
    private readonly entries: TrashRepository,
    private readonly trash: Trash,
    private readonly removals: TreeRemovals,
    private readonly settings: FilesSettings,
    private readonly clock: Clock,
  ) {}

  @Regularly('files-trash', 600)
  async tick(): Promise<void> {
    await this.#tasks.run('sweeping the trash', () => this.sweep());
  }

  async sweep(): Promise<void> {
    const before = this.clock.nowSeconds() - this.settings.trashDays * DAY_SECONDS;
    for (let removed = BATCH; removed === BATCH && !this.#tasks.isStopping;) {
      removed = await this.entries.expire(before, BATCH, (tx, entry) =>
        this.trash.removeForGood(tx, entry),
      );
    }
    for (const userId of await this.entries.crowdedUsers(this.trash.most)) {
      await this.nodes.change(userId, async (tx) => {
        const { top } = await this.nodes.resolve(userId, [], tx);
        await this.trash.makeRoom(tx, top);
      });
    }
    this.removals.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }
}
