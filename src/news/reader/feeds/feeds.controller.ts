import { z } from 'zod';
import { ApiPost, Delete, Get, Patch } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { shownSentence } from '../../../common/texts/visitor-language.js';
import { ITEM_RULES } from '../../feed-parser/items/item-identity.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.guard.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import {
  DONE_MANY,
  DONE_ONE,
  DoneOneAnswer,
  DoneManyAnswer,
  titleOrHost,
} from '../../news.wire.js';
import { FeedPath } from '../../parameters.js';
import { FeedSettingsService, type FetchSettings } from './feed-settings.service.js';
import {
  MoveFeed,
  ReadFeedUpTo,
  RemoveFeed,
  RenameFeed,
  Subscribe,
  ChangeFeedSettings,
} from './feeds.input.js';
import { FeedsService } from './feeds.service.js';
import type { Feed } from './subscriptions.repository.js';

const FeedSchema = z
  .object({
    id: z.int(),
    url: z.string(),
    title: z.string(),
    faviconLink: z.string().nullable(),
    added: z.int().describe('Unix seconds.'),
    nextUpdateTime: z.int().nullable().describe('Unix seconds.'),
    folderId: z.int().nullable().describe('Null at the root.'),
    unreadCount: z.int(),
    ordering: z.int(),
    link: z.string(),
    pinned: z.boolean(),
    fullTextEnabled: z.boolean(),
    updateMode: z.int(),
    updateErrorCount: z.int(),
    lastUpdateError: z.string().nullable(),
    items: z.array(z.unknown()).max(0),
  })
  .meta({ id: 'Feed' });

const FeedsAnswer = z.object({ feeds: z.array(FeedSchema) });

/** `newestItemId` is absent without items. */
const FeedListAnswer = FeedsAnswer.extend({
  starredCount: z.int(),
  newestItemId: z.int().optional(),
});

const SubscribedAnswer = FeedsAnswer.extend({ newestItemId: z.int().optional() });

const FetchSettingsAnswer = z.object({
  feedId: z.int(),
  url: z.string(),
  fetchEveryHours: z.number().nullable(),
  itemRule: z.enum(ITEM_RULES),
  hasPassword: z.boolean(),
  hasCookie: z.boolean(),
  userAgent: z.string(),
});

const ItemRulesAnswer = z.object({
  rules: z.array(
    z.object({
      rule: z.enum(ITEM_RULES),
      stored: z.int().describe('Entries that were compared: the newest.'),
      items: z.int().describe('How many items they would have been.'),
      joined: z
        .array(z.object({ title: z.string().nullable(), count: z.int() }))
        .describe('The largest groups that would have been one item.'),
    }),
  ),
});

/** @see docs/spec/feed-reader-api.md "Feeds" */
@NewsController(EVERY_LEVEL, 'feeds')
export class FeedsController {
  constructor(
    private readonly feeds: FeedsService,
    private readonly settings: FeedSettingsService,
  ) {}

  @InTurn()
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

  /** Beyond the specification, like all following routes. */
  @Patch(':feedId', 'Changes how a feed is shown and fetched.', FeedsAnswer)
  async change(
    @CurrentUser() user: Account,
    @Input(ChangeFeedSettings) { feedId, settings }: In<typeof ChangeFeedSettings>,
  ): Promise<object> {
    return { feeds: [toFeedJson(await this.settings.change(user.userId, feedId, settings))] };
  }

  @Get(':feedId/fetching', 'Shows how a feed is fetched.', FetchSettingsAnswer)
  async fetching(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ): Promise<object> {
    return toFetchSettingsJson(feedId, await this.settings.fetching(user.userId, feedId));
  }

  @Get(
    ':feedId/item-rules',
    'Shows what each rule of what makes an item itself would have made of the stored entries.',
    ItemRulesAnswer,
  )
  async itemRules(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ): Promise<object> {
    return { rules: await this.settings.previewItemRules(user.userId, feedId) };
  }
}

/** The key is sent only when there are items. */
function knownNewest(newestItemId: number | null): object {
  return newestItemId === null ? {} : { newestItemId };
}

/** @see docs/spec/feed-reader-api.md "Feed" */
function toFeedJson(feed: Feed): object {
  return {
    id: feed.id,
    url: feed.url,
    title: titleOrHost(feed.title, feed.url),
    faviconLink: feed.iconUrl,
    added: feed.addedSeconds,
    nextUpdateTime: feed.nextUpdateSeconds,
    folderId: feed.folderId,
    unreadCount: feed.unreadCount,
    ordering: feed.ordering,
    link: feed.link ?? '',
    pinned: feed.pinned,
    fullTextEnabled: feed.fullText,
    updateMode: feed.updateMode,
    updateErrorCount: feed.updateErrorCount,
    lastUpdateError: shownSentence(feed.lastUpdateError),
    items: [],
  };
}

/** Fetch settings. Passwords and cookies are never sent. Beyond the specification. */
function toFetchSettingsJson(feedId: number, settings: FetchSettings): object {
  const { url, fetchEveryHours, itemRule, access, isAccessInAddress } = settings;
  return {
    feedId,
    url,
    fetchEveryHours,
    itemRule,
    hasPassword: access.userName !== '' || access.password !== '' || isAccessInAddress,
    hasCookie: access.cookie !== '',
    userAgent: access.userAgent,
  };
}

/** The answer to POST /feeds: clients expect the next update of a new feed to be unknown. */
function toCreatedFeedJson(feed: Feed): object {
  return { ...toFeedJson(feed), nextUpdateTime: null };
}
