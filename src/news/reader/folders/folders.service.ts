import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import {
  checkedName,
  FolderAlreadyExists,
  FolderNotFound,
  InvalidFolderName,
} from '../../news.errors.js';
import { DeliveriesRepository } from '../delivery/deliveries.repository.js';
import { DeliveryService } from '../delivery/delivery.service.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { ItemsRepository } from '../items/items.repository.js';
import { FoldersRepository, type Folder } from './folders.repository.js';

export const MAX_NAME_CHARACTERS = 255;

/**
 * A user's folders for feeds. Names are unique per user.
 *
 * @see docs/spec/feed-reader-api.md "Folders"
 */
@Injectable()
export class FoldersService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly folders: FoldersRepository,
    private readonly items: ItemsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly delivery: DeliveryService,
    private readonly config: Config,
  ) {}

  /** With the folders that groups give by now. */
  async list(reader: Reader): Promise<Folder[]> {
    await this.delivery.followGroups(reader);
    return this.folders.list(reader.id);
  }

  /**
   * @throws FolderAlreadyExists
   */
  async create(reader: Reader, givenName: string): Promise<Folder> {
    const name = checkedName(givenName, MAX_NAME_CHARACTERS, InvalidFolderName);
    const folder = await this.readers.change(reader, async (tx, reader) => {
      const most = this.config.limits['folders-per-user'];
      const count = await this.folders.count(reader.id, most, tx);
      assertBelowLimit(this.config, 'folders-per-user', count);
      return this.folders.create(reader.id, name, tx);
    });
    return FolderAlreadyExists.unless(folder, name);
  }

  /**
   * @throws FolderAlreadyExists when another folder has the name
   * @throws FolderNotFound
   */
  async rename(reader: Reader, folderId: number, givenName: string): Promise<void> {
    const name = checkedName(givenName, MAX_NAME_CHARACTERS, InvalidFolderName);
    await this.readers.change(reader, async (tx, reader) => {
      FolderNotFound.unless(await this.folders.exists(reader.id, folderId, tx), folderId);
      if (await this.folders.nameIsTaken(reader.id, name, folderId, tx)) {
        throw new FolderAlreadyExists(name);
      }
      await this.folders.rename(reader.id, folderId, name, tx);
    });
  }

  /**
   * Removes the folder with its feeds and their items. What groups recommend is only hidden.
   *
   * @throws FolderNotFound
   * @throws FolderHasMandatoryFeeds
   */
  async remove(reader: Reader, folderId: number): Promise<void> {
    await this.readers.change(reader, async (tx, reader) => {
      await this.deliveries.leave(reader, { folderId }, tx);
      const isHidden = await this.folders.hideGiven(reader.id, folderId, tx);
      FolderNotFound.unless(
        isHidden || (await this.folders.remove(reader.id, folderId, tx)),
        folderId,
      );
    });
  }

  /**
   * Removes the folder; its feeds stay, at the root.
   *
   * @throws FolderNotFound
   * @throws FolderOfGroup
   */
  async removeWithoutFeeds(reader: Reader, folderId: number): Promise<void> {
    await this.readers.change(reader, async (tx, reader) => {
      await this.folders.assertOwn(reader.id, folderId, tx);
      await this.folders.empty(reader.id, folderId, tx);
      FolderNotFound.unless(await this.folders.remove(reader.id, folderId, tx), folderId);
    });
  }

  /**
   * Hides the folder and its feeds; `restore` undoes it until the clean-up removes them, which it does not with
   * those of groups.
   *
   * @throws FolderNotFound
   * @throws FolderHasMandatoryFeeds
   */
  async removeForNow(reader: Reader, folderId: number): Promise<void> {
    await this.readers.change(reader, async (tx, reader) => {
      await this.deliveries.leave(reader, { folderId }, tx);
      const isHidden = await this.folders.hideGiven(reader.id, folderId, tx);
      FolderNotFound.unless(
        isHidden || (await this.folders.markDeleted(reader.id, folderId, tx)),
        folderId,
      );
    });
  }

  /**
   * Undoes `removeForNow`: the folder, the feeds it had then, and their items, which count as changed.
   * Does nothing for a folder that was not removed.
   *
   * @throws FolderNotFound also after the clean-up
   * @throws FolderAlreadyExists when another folder has taken its name
   */
  async restore(reader: Reader, folderId: number): Promise<Folder> {
    return this.readers.change(reader, async (tx, reader) => {
      const folder = FolderNotFound.unless(
        await this.folders.findEvenDeleted(reader.id, folderId, tx),
        folderId,
      );
      if (await this.folders.nameIsTaken(reader.id, folder.name, folderId, tx)) {
        throw new FolderAlreadyExists(folder.name);
      }
      const feedIds = await this.folders.restore(reader.id, folderId, tx);
      await this.items.stampFeeds(reader, feedIds, tx);
      return folder;
    });
  }

  /**
   * Marks the items of the folder's feeds read, up to and including `newestItemId`.
   * Items that arrived after the client last looked stay unread.
   *
   * @throws FolderNotFound
   */
  async markReadUpTo(reader: Reader, folderId: number, newestItemId: number): Promise<void> {
    const { found } = await this.items.changeFlags(reader, {
      readUpTo: newestItemId,
      scope: { of: 'folder', folderId },
    });
    FolderNotFound.unless(found.length > 0, folderId);
  }
}
