import { titleOrHost } from '../news.wire.js';
import type { SourceReport } from '../doctor/feed-doctor.service.js';
import type { FeedPreview } from '../preview/feed-preview.service.js';
import type { FeedOwner } from '../reader/feeds/subscriptions.repository.js';
import type { RefreshReport } from '../refresh/refresh.service.js';
import type { SourceLine } from '../statistics/source-lists.repository.js';
import type { DueList, FetchSeries, SourceList } from '../statistics/statistics.service.js';

/** Entries that a preview shows. */
const PREVIEWED_ITEMS = 5;

/** Beyond the specification; see docs/news-api.md. */
export function toPreviewJson({ url, feed, alternatives, feedId }: FeedPreview): object {
  return {
    url,
    title: titleOrHost(feed.title, url),
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
      title: titleOrHost(title, url),
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
