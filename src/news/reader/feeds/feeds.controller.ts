import { ApiPost, Delete, Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { FeedsService } from './feeds.service.js';
import { DONE_MANY, DONE_ONE, DoneOneAnswer, DoneManyAnswer } from '../../news.wire.js';
import { FeedPath } from '../../parameters.js';
import { MoveFeed, ReadFeedUpTo, RemoveFeed, RenameFeed, Subscribe } from './feeds.input.js';
import {
  toCreatedFeedJson,
  toFeedJson,
  FeedListAnswer,
  FeedsAnswer,
  SubscribedAnswer,
} from './feeds.wire.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';

/** @see docs/spec/feed-reader-api.md "Feeds" */
@NewsController(EVERY_LEVEL, 'feeds')
export class FeedsController {
  constructor(private readonly feeds: FeedsService) {}

  @Get('', 'Lists the feeds of the caller.', FeedListAnswer)
  async list(@CurrentUser() user: Account): Promise<object> {
    const { feeds, starredCount, newestItemId } = await this.feeds.list(user.userId);
    return { feeds: feeds.map(toFeedJson), starredCount, ...knownNewest(newestItemId) };
  }

  @ApiPost('', 'Subscribes to a feed.', SubscribedAnswer)
  async subscribe(
    @CurrentUser() user: Account,
    @Input(Subscribe) { url, folderId, ...beginning }: In<typeof Subscribe>,
  ): Promise<object> {
    const { feed, newestItemId } = await this.feeds.subscribe(
      user.userId,
      url,
      folderId,
      beginning,
    );
    return { feeds: [toCreatedFeedJson(feed)], ...knownNewest(newestItemId) };
  }

  @Delete(':feedId', 'Removes a feed.', DoneOneAnswer)
  async unsubscribe(
    @CurrentUser() user: Account,
    @Input(RemoveFeed) { feedId, undoable }: In<typeof RemoveFeed>,
  ): Promise<typeof DONE_ONE> {
    await (undoable
      ? this.feeds.unsubscribeForNow(user.userId, feedId)
      : this.feeds.unsubscribe(user.userId, feedId));
    return DONE_ONE;
  }

  @ApiPost(':feedId/restore', 'Undoes the removal of a feed.', FeedsAnswer)
  async restore(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ): Promise<object> {
    return { feeds: [toFeedJson(await this.feeds.restore(user.userId, feedId))] };
  }

  @PutOrPost(':feedId/move', 'Moves a feed to another folder.', DoneOneAnswer)
  async move(
    @CurrentUser() user: Account,
    @Input(MoveFeed) { feedId, folderId }: In<typeof MoveFeed>,
  ): Promise<typeof DONE_ONE> {
    await this.feeds.move(user.userId, feedId, folderId);
    return DONE_ONE;
  }

  @PutOrPost(':feedId/rename', 'Renames a feed.', DoneOneAnswer)
  async rename(
    @CurrentUser() user: Account,
    @Input(RenameFeed) { feedId, feedTitle }: In<typeof RenameFeed>,
  ): Promise<typeof DONE_ONE> {
    await this.feeds.rename(user.userId, feedId, feedTitle);
    return DONE_ONE;
  }

  @PutOrPost(':feedId/read', 'Marks the items of a feed read, up to an item.', DoneManyAnswer)
  @WorksOnFullDisk()
  async markRead(
    @CurrentUser() user: Account,
    @Input(ReadFeedUpTo) { feedId, newestItemId }: In<typeof ReadFeedUpTo>,
  ): Promise<typeof DONE_MANY> {
    await this.feeds.markReadUpTo(user.userId, feedId, newestItemId);
    return DONE_MANY;
  }
}

/** The key is sent only when there are items. */
function knownNewest(newestItemId: number | null): object {
  return newestItemId === null ? {} : { newestItemId };
}
