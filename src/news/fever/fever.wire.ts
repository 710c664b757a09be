import { shownTitle } from '../reader/streams/shown-title.js';
import type { StreamItem } from '../reader/streams/stream.js';
import { titleOrHost } from '../news.wire.js';
import { groupOf, ROOT_GROUP } from './fever-groups.js';
import type { FeverFeed, FeverFolder, FeverIcon } from './fever-lists.service.js';

export const API_VERSION = 3;

const LONGEST_INT32 = 2_147_483_647;

/** The folders, and a group for feeds at the root if there are any. */
export function toGroupsJson(
  folders: readonly FeverFolder[],
  feeds: readonly FeverFeed[],
  rootName: string,
): object[] {
  const groups = folders.map(({ id, name }) => ({ id, title: name }));
  return feeds.some(({ folderId }) => folderId === null)
    ? [...groups, { id: ROOT_GROUP, title: rootName }]
    : groups;
}

/** Groups without feeds are left out: clients fail on an empty list. */
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
