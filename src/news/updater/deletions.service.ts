import { Injectable } from '@nestjs/common';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { FoldersRepository } from '../reader/folders/folders.repository.js';

/** Removes folders and feeds for good that users deleted with the option to undo. */
@Injectable()
export class DeletionsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly folders: FoldersRepository,
    private readonly subscriptions: SubscriptionsRepository,
  ) {}

  /** @param graceSeconds keeps those that were deleted less long ago */
  async purge(graceSeconds: number): Promise<void> {
    for (const userId of await this.subscriptions.usersWithDeleted(graceSeconds)) {
      await this.readers.change(
        userId,
        async (tx, reader) => {
          await this.subscriptions.purgeDeleted(tx, reader.id, graceSeconds);
          await this.folders.purgeDeleted(tx, reader.id, graceSeconds);
        },
        'upkeep',
      );
    }
  }
}
