import { z } from 'zod';
import { ApiPost, Delete, Get, Patch } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
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
import { endOf } from '../../sources/access/client-certificate.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
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
    sameAs: z
      .int()
      .optional()
      .describe('The feed that this one has become, since its publisher moved. Absent otherwise.'),
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
  hasToken: z.boolean(),
  headers: z.array(z.string()).describe('Names of headers of its own, in lower case.'),
  certificateEnds: z
    .int()
    .nullable()
    .describe('Unix seconds at which its client certificate ends; null without one.'),
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
  async list(@CurrentReader() reader: Reader) {
    const { feeds, starredCount, newestItemId, sameAs } = await this.feeds.list(reader);
    return {
      feeds: feeds.map((feed) => ({
        ...toFeedJson(feed),
        sameAs: sameAs.get(feed.id),
      })),
      starredCount,
      ...knownNewest(newestItemId),
    };
  }

  @ApiPost('', 'Subscribes to a feed.', SubscribedAnswer)
  async subscribe(
    @CurrentReader() reader: Reader,
    @Input(Subscribe) { url, folderId, ...beginning }: In<typeof Subscribe>,
  ) {
    const { feed, newestItemId } = await this.feeds.subscribe(reader, url, folderId, beginning);
    return { feeds: [toCreatedFeedJson(feed)], ...knownNewest(newestItemId) };
  }

  @Delete(':feedId', 'Removes a feed.', DoneOneAnswer)
  async unsubscribe(
    @CurrentReader() reader: Reader,
    @Input(RemoveFeed) { feedId, undoable }: In<typeof RemoveFeed>,
  ) {
    await (undoable
      ? this.feeds.unsubscribeForNow(reader, feedId)
      : this.feeds.unsubscribe(reader, feedId));
    return DONE_ONE;
  }

  @ApiPost(':feedId/restore', 'Undoes the removal of a feed.', FeedsAnswer)
  async restore(@CurrentReader() reader: Reader, @Input(FeedPath) { feedId }: In<typeof FeedPath>) {
    return { feeds: [toFeedJson(await this.feeds.restore(reader, feedId))] };
  }

  @PutOrPost(':feedId/move', 'Moves a feed to another folder.', DoneOneAnswer)
  async move(
    @CurrentReader() reader: Reader,
    @Input(MoveFeed) { feedId, folderId }: In<typeof MoveFeed>,
  ) {
    await this.feeds.move(reader, feedId, folderId);
    return DONE_ONE;
  }

  @PutOrPost(':feedId/rename', 'Renames a feed.', DoneOneAnswer)
  async rename(
    @CurrentReader() reader: Reader,
    @Input(RenameFeed) { feedId, feedTitle }: In<typeof RenameFeed>,
  ) {
    await this.feeds.rename(reader, feedId, feedTitle);
    return DONE_ONE;
  }

  @PutOrPost(':feedId/read', 'Marks the items of a feed read, up to an item.', DoneManyAnswer)
  @WorksOnFullDisk()
  async markRead(
    @CurrentReader() reader: Reader,
    @Input(ReadFeedUpTo) { feedId, newestItemId }: In<typeof ReadFeedUpTo>,
  ) {
    await this.feeds.markReadUpTo(reader, feedId, newestItemId);
    return DONE_MANY;
  }

  /** Beyond the specification, like all following routes. */
  @Patch(':feedId', 'Changes how a feed is shown and fetched.', FeedsAnswer)
  async change(
    @CurrentReader() reader: Reader,
    @Input(ChangeFeedSettings) { feedId, settings }: In<typeof ChangeFeedSettings>,
  ) {
    return { feeds: [toFeedJson(await this.settings.change(reader, feedId, settings))] };
  }

  @Get(':feedId/fetching', 'Shows how a feed is fetched.', FetchSettingsAnswer)
  async fetching(
    @CurrentReader() reader: Reader,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ) {
    return toFetchSettingsJson(feedId, await this.settings.fetching(reader, feedId));
  }

  @Get(
    ':feedId/item-rules',
    'Shows what each rule of what makes an item itself would have made of the stored entries.',
    ItemRulesAnswer,
  )
  async itemRules(
    @CurrentReader() reader: Reader,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ) {
    return { rules: await this.settings.previewItemRules(reader, feedId) };
  }
}

/** The key is sent only when there are items. */
function knownNewest(newestItemId: number | null) {
  return newestItemId === null ? {} : { newestItemId };
}

/** @see docs/spec/feed-reader-api.md "Feed" */
function toFeedJson(feed: Feed) {
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

/** Fetch settings. Credentials are never sent. Beyond the specification. */
function toFetchSettingsJson(feedId: number, settings: FetchSettings) {
  const { url, fetchEveryHours, itemRule, access, isAccessInAddress } = settings;
  return {
    feedId,
    url,
    fetchEveryHours,
    itemRule,
    hasPassword: access.userName !== '' || access.password !== '' || isAccessInAddress,
    hasCookie: access.cookie !== '',
    hasToken: access.token !== '',
    headers: Object.keys(access.headers),
    certificateEnds: access.certificate && Math.floor(endOf(access.certificate).getTime() / 1000),
    userAgent: access.userAgent,
  };
}

/** The answer to POST /feeds: clients expect the next update of a new feed to be unknown. */
function toCreatedFeedJson(feed: Feed) {
  return { ...toFeedJson(feed), nextUpdateTime: null };
}
