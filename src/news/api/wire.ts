import type { Possibilities } from '../assistance/assistance.service.js';
import type { SourceReport } from '../doctor/feed-doctor.service.js';
import type { FeedPreview } from '../preview/feed-preview.service.js';
import type { RefreshReport } from '../refresh/refresh.service.js';
import type { DueList, FetchSeries, SourceList } from '../statistics/statistics.service.js';
import type { Assistance } from '../assistance/assistance.repository.js';
import type { Folder } from '../reader/folders/folders.repository.js';
import type { Filter } from '../filters/filters.repository.js';
import type { ListedItem } from '../reader/items/item-list.sql.js';
import type { SourceLine } from '../statistics/source-list.sql.js';
import type { Feed, FeedOwner } from '../reader/feeds/subscriptions.repository.js';

/*
 * The only place that knows the field names of the API. Types are those of the strictest client
 * program: integers where it says so, never null where one would stop reading.
 */

/** @see docs/spec/feed-reader-api.md "Folder" */
export function toFolderJson(folder: Folder): object {
  return { id: folder.id, name: folder.name, opened: true, feeds: [] };
}

/** @see docs/spec/feed-reader-api.md "Feed" */
export function toFeedJson(feed: Feed): object {
  return {
    id: feed.id,
    url: feed.url,
    title: feed.title === '' ? hostOf(feed.url) : feed.title,
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
    lastUpdateError: feed.lastUpdateError,
    items: [],
  };
}

/** The answer to a new subscription, whose next update clients expect to be unknown yet. */
export function toCreatedFeedJson(feed: Feed): object {
  return { ...toFeedJson(feed), nextUpdateTime: null };
}

/** @see docs/spec/feed-reader-api.md "Item" */
export function toItemJson(item: ListedItem): object {
  return {
    id: item.id,
    guid: item.guid,
    guidHash: item.guidHash,
    url: item.url,
    title: item.title,
    author: item.author,
    pubDate: item.pubDateSeconds,
    updatedDate: item.updatedDateSeconds === null ? null : String(item.updatedDateSeconds),
    body: item.body ?? '',
    enclosureMime: item.enclosureMime,
    enclosureLink: item.enclosureLink,
    mediaThumbnail: item.mediaThumbnail,
    mediaDescription: item.mediaDescription,
    feedId: item.feedId,
    unread: item.unread,
    starred: item.starred,
    filtered: item.filtered,
    lastModified: item.lastModifiedSeconds,
    rtl: item.rtl,
    fingerprint: item.fingerprint,
    contentHash: item.contentHash,
  };
}

/**
 * A feed without a filter has one of empty texts and no id: clients read the texts unchecked.
 * Beyond the specification; see docs/news-api.md.
 */
export function toFilterJson(feedId: number, filter: Filter | null): object {
  return {
    ...(filter === null ? {} : { id: filter.id }),
    feedId,
    titleKeywords: filter?.titleKeywords ?? '',
    bodyKeywords: filter?.bodyKeywords ?? '',
    urlKeywords: filter?.urlKeywords ?? '',
  };
}

/** Beyond the specification; see docs/news-api.md. */
export function toPossibilitiesJson(possible: Possibilities): object {
  return {
    translate: {
      languages: possible.languages.map(({ from, fromLabel, to, toLabel }) => ({
        from,
        fromLabel,
        to,
        toLabel,
      })),
      detects: possible.detectsLanguages,
    },
    textTasks: possible.textKinds,
    transcribe: possible.transcribes,
  };
}

/** `text`, or `title`, `body`, `from` and `to`, once it is done. */
export function toAssistanceJson(assistance: Assistance): object {
  return {
    id: assistance.id,
    kind: assistance.kind,
    state: assistance.state,
    started: assistance.startedSeconds,
    error: assistance.error,
    ...assistance.result,
  };
}

/** Entries that a preview shows. */
const PREVIEWED_ITEMS = 5;

/** Beyond the specification; see docs/news-api.md. */
export function toPreviewJson({ url, feed, alternatives, feedId }: FeedPreview): object {
  return {
    url,
    title: feed.title === '' ? hostOf(url) : feed.title,
    link: feed.link ?? '',
    feedId,
    feeds: alternatives,
    items: feed.items.slice(0, PREVIEWED_ITEMS).map((item) => ({
      title: item.title,
      pubDate: item.pubDateSeconds,
      url: item.url,
    })),
  };
}

/** Attempts that the owner of a feed is shown. */
const SHOWN_ATTEMPTS = 10;

/**
 * What the owner of a feed may know about its source: how it is doing, and nothing about others who
 * follow it. Beyond the specification; see docs/news-api.md.
 */
export function toStatusJson(feedId: number, report: SourceReport): object {
  return {
    feedId,
    health: report.health,
    fetchedFrom: report.fetchedFrom,
    lastUpdateTime: report.fetchedAt,
    nextUpdateTime: report.due?.at ?? null,
    nextUpdateReason: report.due?.why ?? null,
    beingFetched: report.due?.beingFetched ?? false,
    pushed: report.hub?.state === 'active',
    updateErrorCount: report.errorsInRow,
    lastUpdateError: report.lastError,
    warning: report.warning,
    attempts: report.attempts.slice(0, SHOWN_ATTEMPTS).map((attempt) => ({
      at: attempt.atSeconds,
      outcome: attempt.outcome,
      status: attempt.status,
      durationMs: attempt.durationMs,
      newItems: attempt.newItems,
      changedItems: attempt.changedItems,
      message: attempt.message,
    })),
  };
}

/** Beyond the specification; see docs/news-api.md. */
export function toSeriesJson(series: FetchSeries): object {
  return {
    from: series.fromSeconds,
    to: series.toSeconds,
    bucketSeconds: series.bucketSeconds,
    completeSince: series.completeSinceSeconds,
    buckets: series.buckets.map((bucket) => ({
      at: bucket.atSeconds,
      fetches: bucket.fetches,
      unchanged: bucket.unchanged,
      failed: bucket.failed,
      newItems: bucket.newItems,
      changedItems: bucket.changedItems,
      medianMs: bucket.medianMs,
      percentile95Ms: bucket.percentile95Ms,
    })),
  };
}

/** Beyond the specification; see docs/news-api.md. */
export function toDueJson({ nowSeconds, overdue, due }: DueList): object {
  return { now: nowSeconds, overdue, due: due.map(toSourceLineJson) };
}

/** Beyond the specification; see docs/news-api.md. */
export function toSourceListJson(list: SourceList): object {
  const { nowSeconds, all, failing, overdue, found, sources } = list;
  return {
    now: nowSeconds,
    totals: { all, failing, overdue },
    found,
    sources: sources.map(toSourceLineJson),
  };
}

function toSourceLineJson(line: SourceLine): object {
  return {
    sourceId: line.sourceId,
    title: line.title,
    address: line.address,
    host: line.hostKey,
    dueAt: line.dueAtSeconds,
    why: line.why,
    beingFetched: line.leased,
    followers: line.followers,
    errorsInRow: line.errorCount,
  };
}

/** Beyond the specification; see docs/news-api.md. */
export function toRefreshJson(report: RefreshReport): object {
  return {
    feeds: report.feeds,
    asked: report.asked,
    newItems: report.newItems,
    failures: report.failures.map(({ feedId, title, url, message }) => ({
      feedId,
      title: title === '' ? hostOf(url) : title,
      message,
    })),
    fresh: report.fresh,
    resting: report.resting,
    left: report.left,
  };
}

/** @see docs/spec/feed-reader-api.md "Updater feed entry" */
export function toFeedOwnerJson(owner: FeedOwner): object {
  return { id: owner.feedId, userId: owner.userId };
}

/** Routes that answer "nothing" about one thing. Clients want a JSON text and exactly 200. */
export const DONE_ONE = Object.freeze([]) as readonly never[];

/**
 * Routes that answer "nothing" about many things. Android reads an object there, for which `null`
 * passes and `[]` does not.
 */
export const DONE_MANY = null;

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url;
}
