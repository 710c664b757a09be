import { Injectable } from '@nestjs/common';
import { checkedTitle } from './feed-title.js';
import { FeedNotFound, FolderNotFound } from '../../news.errors.js';
import { FoldersRepository } from '../folders/folders.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import {
  SubscriptionsRepository,
  type Feed,
  type FeedSettings,
} from './subscriptions.repository.js';

/** Settings of a feed, its title and its folder; absent ones keep their value. */
interface WantedSettings extends FeedSettings {
  /** The user's title; empty follows the publisher's. */
  readonly title?: string | undefined;
  /** Null is the root. */
  readonly folderId?: number | null | undefined;
}

/** Changes the settings of a feed. */
@Injectable()
export class FeedSettingsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly folders: FoldersRepository,
    private readonly subscriptions: SubscriptionsRepository,
  ) {}

  /**
   * Changes the given settings, all or none. Switching full text on fetches the pages of the newest
   * articles in the background.
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
      if (!(await this.subscriptions.changeSettings(tx, reader, feedId, wanted))) {
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
