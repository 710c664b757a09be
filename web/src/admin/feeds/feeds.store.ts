import { defineStore } from 'pinia';
import { requestJson } from '../../host/http.js';
import { usePagedList } from '../model/paged-list.js';

/** A source with subscribers; see docs/news-api.md "Statistics". */
export interface Source {
  readonly sourceId: number;
  readonly title: string;
  readonly address: string;
  /** Unix seconds. */
  readonly dueAt: number;
  readonly why: string | null;
  readonly beingFetched: boolean;
  readonly followers: number;
  readonly errorsInRow: number;
  /** Of the last day, as `bytes` are. */
  readonly workMs: number;
  readonly bytes: number;
}

export interface SourceTotals {
  readonly all: number;
  readonly failing: number;
  readonly overdue: number;
}

interface SourceList {
  /** The database's clock, in unix seconds. */
  readonly now: number;
  readonly totals: SourceTotals;
  /** Total number of sources. */
  readonly found: number;
  readonly sources: readonly Source[];
}

interface SourceWish {
  readonly search: string;
  readonly order: 'errors' | 'due' | 'title' | 'work' | 'bytes';
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

/** The feed doctor's report on a source; see docs/operations/fetching.md "The feed doctor". */
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
  readonly warning: string | null;
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

interface Retried {
  readonly result: { readonly outcome: string; readonly message?: string };
  readonly source: SourceReport;
}

/** Fetch statistics over time. */
export interface FetchSeries {
  readonly completeSince: number;
  readonly from: number;
  readonly buckets: readonly FetchBucket[];
}

export interface FetchBucket {
  /** Start of the interval, in unix seconds. */
  readonly at: number;
  readonly fetches: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly newItems: number;
  readonly changedItems: number;
  readonly medianMs: number | null;
  readonly percentile95Ms: number | null;
}

const ROOT = '/apps/news/api/v1-3';

const SOURCES_AT_ONCE = 50;

/** All sources with subscribers, page by page. */
export const useSources = defineStore('admin-sources', () =>
  usePagedList(
    { search: '', order: 'errors' } as SourceWish,
    SOURCES_AT_ONCE,
    async ({ search, order }, offset, limit) => {
      const list = await listSources({ search, order, offset, limit });
      return { rows: list.sources, total: list.found, now: list.now, totals: list.totals };
    },
  ),
);

export async function sourceTotals(): Promise<SourceTotals> {
  return (await listSources({ limit: 1 })).totals;
}

function listSources(query: Readonly<Record<string, string | number>>): Promise<SourceList> {
  return requestJson<SourceList>(`${ROOT}/admin/sources`, { query });
}

export const fetchSeries = (from: number, to: number, bucketSeconds: number) =>
  requestJson<FetchSeries>(`${ROOT}/admin/statistics`, { query: { from, to, bucketSeconds } });

/** @param of a source or a subscription to it */
export const examine = (
  of: { readonly sourceId: number; readonly showQueries?: boolean } | { readonly feedId: number },
) => requestJson<SourceReport>(`${ROOT}/doctor`, { query: { ...of } });

export const examineAddress = (url: string) =>
  requestJson<AddressReport>(`${ROOT}/doctor`, { query: { url } });

export const retry = (sourceId: number) =>
  requestJson<Retried>(`${ROOT}/doctor/retry`, { method: 'POST', json: { sourceId } });
