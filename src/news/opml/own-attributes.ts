import { isDeepStrictEqual } from 'node:util';
import { AccessInput } from '../sources/access/feed-access.input.js';
import {
  NO_ACCESS,
  type FeedAccess,
  type PartialAccess,
} from '../sources/access/feed-access.service.js';
import type { ExportedFeed } from './opml.repository.js';

/**
 * The settings of a feed as attributes; those that have their default are left out. `title` says whose title it
 * is, since a file gives one to each feed.
 */
export function ownAttributes(
  feed: ExportedFeed,
  access: FeedAccess = NO_ACCESS,
): Readonly<Record<string, string | null>> {
  const { fetchEveryHours, itemRule } = feed;
  return {
    title: feed.ownTitle === null ? 'publisher' : null,
    ordering: unless(0, feed.ordering),
    pinned: unless(false, feed.pinned),
    fullText: unless(false, feed.fullText),
    updateMode: unless(0, feed.updateMode),
    alwaysShown: unless(false, feed.alwaysShown),
    fetchEveryHours: unless(null, fetchEveryHours),
    itemRule: unless('automatic', itemRule),
    titleKeywords: feed.titleKeywords || null,
    bodyKeywords: feed.bodyKeywords || null,
    urlKeywords: feed.urlKeywords || null,
    access: isDeepStrictEqual(access, NO_ACCESS) ? null : accessText(access),
  };
}

/** As requests have it. */
function accessText({ certificate, ...access }: FeedAccess): string {
  const given = certificate && { certificate: certificate.cert, key: certificate.key };
  return JSON.stringify({ ...access, ...(given && { certificate: given }) });
}

/**
 * Of the attribute `access`; null when there is none, or it cannot be read. Keys that need a passphrase are not opened,
 * which would take long with thousands of feeds: exports have none.
 */
export function accessIn(own: Readonly<Record<string, string>> = {}): PartialAccess | null {
  try {
    const given: unknown = JSON.parse(own['access'] ?? 'null');
    // Written anew, since JSON can spell the word in other ways.
    return JSON.stringify(given).includes('ENCRYPTED')
      ? null
      : (AccessInput.safeParse(given).data ?? null);
  } catch {
    return null;
  }
}

function unless<Value>(initial: Value, value: Value): string | null {
  return value === initial ? null : String(value);
}
