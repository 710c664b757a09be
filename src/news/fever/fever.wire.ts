import { z } from 'zod';
import { titleOrHost } from '../news.wire.js';
import type { Folder } from '../reader/folders/folders.repository.js';
import { shownTitle, type StreamItem } from '../reader/streams/stream.js';
import type { FeverFeed, FeverIcon } from './fever.repository.js';
import { groupOf, ROOT_GROUP } from './fever.service.js';

export const API_VERSION = 3;

const LONGEST_INT32 = 2_147_483_647;

/** The folders, and a group for feeds at the root if there are any. */
export function toGroupsJson(
  folders: readonly Folder[],
  feeds: readonly FeverFeed[],
  rootName: string,
): object[] {
  const groups = folders.map(({ id, name }) => ({ id, title: name }));
  return feeds.some(({ folderId }) => folderId === null)
    ? [...groups, { id: ROOT_GROUP, title: rootName }]
    : groups;
}

/** Omits groups without feeds: clients fail on an empty list. */
export function toFeedsGroupsJson(feeds: readonly FeverFeed[]): object[] {
  const byGroup = Map.groupBy(feeds, (feed) => groupOf(feed));
  return [...byGroup].map(([groupId, ofGroup]) => ({
    group_id: groupId,
    feed_ids: ofGroup.map(({ id }) => id).join(','),
  }));
}

/** Clients need `id` before `favicon_id`. @param iconIds of icons that clients can get */
export function toFeedJson(feed: FeverFeed, iconIds: ReadonlySet<number>): object {
  const { id, title, url, link, iconId, fetchedSeconds } = feed;
  return {
    id,
    favicon_id: iconId !== null && iconIds.has(iconId) ? iconId : 0,
    title: titleOrHost(title, url),
    url,
    site_url: link ?? '',
    is_spark: 0,
    last_updated_on_time: fetchedSeconds ?? 0,
  };
}

/** Clients add `data:` themselves. */
export function toFaviconJson({ id, mime, base64 }: FeverIcon): object {
  return { id, data: `${mime};base64,${base64}` };
}

export function toItemJson(item: StreamItem): object {
  return {
    id: item.id,
    feed_id: item.feedId,
    title: shownTitle(item),
    author: item.author ?? '',
    html: item.body,
    url: item.url ?? '',
    is_saved: item.starred ? 1 : 0,
    is_read: item.unread ? 0 : 1,
    created_on_time: Math.max(0, Math.min(Math.trunc(item.pubDateSeconds), LONGEST_INT32)),
  };
}

const ids = z.string().describe('With commas between them.');

export const FeverAnswer = z.object({
  api_version: z.int(),
  auth: z.int().describe('0 for a wrong key, and then nothing else follows.'),
  last_refreshed_on_time: z.int().optional(),
  groups: z.array(z.object({ id: z.int(), title: z.string() })).optional(),
  feeds: z
    .array(
      z.object({
        id: z.int(),
        favicon_id: z.int(),
        title: z.string(),
        url: z.string(),
        site_url: z.string(),
        is_spark: z.int(),
        last_updated_on_time: z.int(),
      }),
    )
    .optional(),
  feeds_groups: z.array(z.object({ group_id: z.int(), feed_ids: ids })).optional(),
  favicons: z.array(z.object({ id: z.int(), data: z.string() })).optional(),
  total_items: z.int().optional(),
  items: z
    .array(
      z.object({
        id: z.int(),
        feed_id: z.int(),
        title: z.string(),
        author: z.string(),
        html: z.string(),
        url: z.string(),
        is_saved: z.int(),
        is_read: z.int(),
        created_on_time: z.int(),
      }),
    )
    .optional(),
  links: z.array(z.unknown()).max(0).optional(),
  unread_item_ids: ids.optional(),
  saved_item_ids: ids.optional(),
});

const selector = z.string().optional().describe('Its presence asks for this list.');

/** The parameters, for the API document; `fever.input.ts` reads them from a form. */
export const FeverParameters = z.object({
  api: selector,
  api_key: z.string().optional(),
  groups: selector,
  feeds: selector,
  favicons: selector,
  items: selector,
  links: selector,
  unread_item_ids: selector,
  saved_item_ids: selector,
  since_id: z.string().optional(),
  max_id: z.string().optional(),
  with_ids: z.string().optional(),
  feed_ids: z.string().optional(),
  group_ids: z.string().optional(),
  mark: z.string().optional().describe('item, feed or group'),
  as: z.string().optional().describe('read, unread, saved or unsaved'),
  id: z.string().optional(),
  before: z.string().optional().describe('Unix seconds.'),
});
