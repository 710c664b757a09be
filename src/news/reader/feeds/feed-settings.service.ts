import { Injectable } from '@nestjs/common';
import { checkedTitle } from './feed-title.js';
import { FeedNotFound, FolderNotFound } from '../../news.errors.js';
import { FeedSettingsRepository, type FeedSettings } from './feed-settings.repository.js';
import { FoldersRepository } from '../folders/folders.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { SubscriptionsRepository, type Feed } from './subscriptions.repository.js';

/** Settings of a feed, and where it stands; what is absent stays as it is. */
export interface WantedSettings extends FeedSettings {
  /** A title of the user's own; empty follows the publisher's again. */
  readonly title?: string | undefined;
  /** Null is the root. */
  readonly folderId?: number | null | undefined;
}

/** How a user wants to see one feed. */
@Injectable()
export class FeedSettingsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly folders: FoldersRepository,
    private readonly settings: FeedSettingsRepository,
    private readonly subscriptions: SubscriptionsRepository,
  ) {}

  /**
   * Changes the settings that are given, all or none. Full text of the newest articles is fetched in
   * the background once it is switched on.
   *
   * @throws InvalidFeedTitle
   * @throws FeedNotFound
   * @throws FolderNotFound
   */
  async change(
    userId: string,
    feedId: number,
    { title, folderId, ...wanted }: WantedSettings,
  ): Promise<Feed> {
    const ownTitle = title === undefined || title.trim() === '' ? null : checkedTitle(title);
    const readerId = await this.readers.change(userId, async (tx, reader) => {
      if (!(await this.settings.change(tx, reader, feedId, wanted))) {
        throw new FeedNotFound(feedId);
      }
      if (title !== undefined) {
        await this.subscriptions.rename(tx, reader.id, feedId, ownTitle);
      }
      if (folderId !== undefined) {
        if (folderId !== null && !(await this.folders.exists(reader.id, folderId, tx))) {
          throw new FolderNotFound(folderId);
        }
        await this.subscriptions.move(tx, reader.id, feedId, folderId);
      }
      return reader.id;
    });
    const feed = await this.subscriptions.find(readerId, feedId);
    if (feed === null) {
      throw new FeedNotFound(feedId);
    }
    return feed;
  }
}
