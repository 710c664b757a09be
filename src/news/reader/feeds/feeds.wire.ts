import { z } from 'zod';
import { shownSentence } from '../../../common/texts/visitor-language.js';
import { ITEM_RULES } from '../../feed-parser/items/item-identity.js';
import { titleOrHost } from '../../news.wire.js';
import type { FetchSettings } from './feed-settings.service.js';
import type { Feed } from './subscriptions.repository.js';

/** @see docs/spec/feed-reader-api.md "Feed" */
export function toFeedJson(feed: Feed): object {
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

/** How a feed is fetched. Passwords and cookies are never sent. Beyond the specification. */
export function toFetchSettingsJson(feedId: number, settings: FetchSettings): object {
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
export function toCreatedFeedJson(feed: Feed): object {
  return { ...toFeedJson(feed), nextUpdateTime: null };
}

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

export const FeedsAnswer = z.object({ feeds: z.array(FeedSchema) });

/** `newestItemId` is absent without items. */
export const FeedListAnswer = FeedsAnswer.extend({
  starredCount: z.int(),
  newestItemId: z.int().optional(),
});

export const SubscribedAnswer = FeedsAnswer.extend({ newestItemId: z.int().optional() });

export const FetchSettingsAnswer = z.object({
  feedId: z.int(),
  url: z.string(),
  fetchEveryHours: z.number().nullable(),
  itemRule: z.enum(ITEM_RULES),
  hasPassword: z.boolean(),
  hasCookie: z.boolean(),
  userAgent: z.string(),
});

export const ItemRulesAnswer = z.object({
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
