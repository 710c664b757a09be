import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestJson } from '../../host/http.js';

/** A source in the order in which sources are due; see docs/news-api.md "Statistics". */
export interface DueSource {
  readonly sourceId: number;
  readonly title: string;
  readonly address: string;
  readonly host: string;
  /** Unix seconds. */
  readonly dueAt: number;
  readonly why: string | null;
  readonly beingFetched: boolean;
  readonly followers: number;
  readonly errorsInRow: number;
}

export interface DueList {
  /** The database's clock, in unix seconds. */
  readonly now: number;
  readonly overdue: number;
  readonly due: readonly DueSource[];
}

/** One attempt to fetch a source. Times are unix seconds. */
export interface Attempt {
  readonly atSeconds: number;
  readonly outcome: 'read' | 'unchanged' | 'failed' | 'outage';
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly bytes: number | null;
  readonly newItems: number;
  readonly changedItems: number;
  readonly message: string | null;
  readonly decision: string;
  readonly dueAtSeconds: number;
}

/** All that the feed doctor knows about a source; see docs/operations.md "The feed doctor". */
export interface SourceReport {
  readonly sourceId: number;
  readonly title: string;
  readonly address: string;
  readonly fetchedFrom: string;
  readonly announcedMove: { readonly to: string; readonly sightings: number } | null;
  readonly followers: number;
  readonly health: 'healthy' | 'failing' | 'gone' | 'never fetched';
  readonly errorsInRow: number;
  readonly lastError: string | null;
  readonly fetchedAt: number | null;
  readonly due: {
    readonly at: number;
    readonly why: string;
    readonly beingFetched: boolean;
    readonly hostPausedUntil: number | null;
  } | null;
  readonly hub: { readonly state: string; readonly expiresAt: number | null } | null;
  /** Newest first. */
  readonly attempts: readonly Attempt[];
  readonly failedDocument: {
    readonly at: number;
    readonly message: string;
    readonly contentType: string | null;
    readonly bytes: number;
    readonly beginning: string;
  } | null;
}

export interface AddressReport {
  readonly steps: readonly {
    readonly step: 'address' | 'name' | 'answer' | 'document' | 'decision';
    readonly ok: boolean;
    readonly text: string;
  }[];
  readonly feeds: readonly string[];
  readonly source: SourceReport | null;
}

export interface Retried {
  readonly result: { readonly outcome: string; readonly message?: string };
  readonly source: SourceReport;
}

/** How the fetching went over time. */
export interface FetchSeries {
  readonly completeSince: number;
  readonly from: number;
  readonly buckets: readonly FetchBucket[];
}

export interface FetchBucket {
  /** Where the piece of time begins, in unix seconds. */
  readonly at: number;
  readonly fetches: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly newItems: number;
  readonly changedItems: number;
  readonly medianMs: number | null;
  readonly percentile95Ms: number | null;
}

/** How many sources the service lists at most. */
export const MOST_LISTED = 200;

const ROOT = '/apps/news/api/v1-3';

export const useFeeds = defineStore('admin-feeds', () => {
  const list = ref<DueList | null>(null);

  async function load(): Promise<void> {
    list.value = await requestJson<DueList>(`${ROOT}/admin/due`);
  }

  const series = (from: number, to: number, bucketSeconds: number) =>
    requestJson<FetchSeries>(`${ROOT}/admin/statistics`, { query: { from, to, bucketSeconds } });

  const examineSource = (sourceId: number, showQueries: boolean) =>
    requestJson<SourceReport>(`${ROOT}/doctor`, { query: { sourceId, showQueries } });

  const examineFeed = (feedId: number) =>
    requestJson<SourceReport>(`${ROOT}/doctor`, { query: { feedId } });

  const examineAddress = (url: string) =>
    requestJson<AddressReport>(`${ROOT}/doctor`, { query: { url } });

  const retry = (sourceId: number) =>
    requestJson<Retried>(`${ROOT}/doctor/retry`, { method: 'POST', json: { sourceId } });

  return { list, load, series, examineSource, examineFeed, examineAddress, retry };
});
