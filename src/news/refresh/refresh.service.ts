import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { tooMany } from '../../common/errors/domain-error.js';
import { Allowances } from '../../common/ports/allowances.js';
import { HOUR_SECONDS } from '../../common/units.js';
import { assertCurrentRight, forOthersToo } from '../../database/statement-limits.js';
import { FeedNotFetched, FeedNotFound, FolderNotFound } from '../news.errors.js';
import { NewsSettings } from '../news.settings.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { FoldersRepository } from '../reader/folders/folders.repository.js';
import { NetworkOutageDetector } from '../sources/refreshing/network-outage-detector.service.js';
import { SourceRefresher } from '../sources/refreshing/source-refresher.service.js';
import { FETCHES_PER_HOST, HOST_GAP_MS } from '../sources/schedule/politeness.js';
import { ScheduleRepository } from '../sources/schedule/schedule.repository.js';
import type { Lease } from '../sources/schedule/schedule.sql.js';
import {
  RefreshesRepository,
  type FeedSelection,
  type FinishedFetch,
  type RefreshCandidate,
} from './refreshes.repository.js';

/** Each user has one refresh at a time; a request for the same feeds joins it. */
class RefreshUnderWay extends tooMany(
  'Other feeds of yours are being fetched; try again when that is done.',
  { retryAfterSeconds: 5 },
) {}

class RefreshLimitReached extends tooMany(
  (mostFeeds: number, retryAfterSeconds: number) =>
    `You had ${mostFeeds} feeds fetched within an hour; try again in ${Math.ceil(retryAfterSeconds / 60)} min.`,
  (_mostFeeds, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** Concurrent fetches in this process, of all refreshes together and of each. */
const CONCURRENT_FETCHES = 16;
const FETCHES_PER_REFRESH = 8;
const FETCHES_DURING_OUTAGE = 2;
const HORIZON_MS = 3000;
/** Poll interval for fetches of other processes. */
const POLL_MS = 500;
/** When it expires, the request is answered; shorter than the usual timeout of proxies. */
const TIME_LIMIT_MS = 50_000;
/** Feeds that were not fetched by then are due within this time. */
const LEFT_DUE_SECONDS = 60;

interface RefreshFailure {
  readonly feedId: number;
  readonly title: string;
  readonly url: string;
  readonly message: string;
}

/** Result of a refresh, in numbers of feeds except for `newItems`. */
export interface RefreshReport {
  /** All selected feeds. */
  readonly feeds: number;
  /** Fetched during the refresh, successfully or not. */
  readonly asked: number;
  /** Items that the next synchronisation delivers. */
  readonly newItems: number;
  /** Number of `asked` feeds with new items. */
  readonly newFeeds: number;
  readonly failures: readonly RefreshFailure[];
  /** Not fetched, because the last fetch was too recent (`GATEFOLD_REFRESH_REST_SECONDS`). */
  readonly fresh: number;
  /** Not fetched, because the publisher asked for a pause. */
  readonly resting: number;
  /** Not fetched in time, or beyond the limits; due soon by the schedule. */
  readonly left: number;
}

interface RefreshProgress {
  readonly done: number;
  readonly total: number;
}

type OnRefreshProgress = (progress: RefreshProgress) => void;

interface RunningRefresh {
  readonly key: string;
  readonly listeners: Set<OnRefreshProgress>;
  readonly report: Promise<RefreshReport>;
}

/**
 * Fetches feeds at the request of their user. Takes leases like the schedule, so that no source is
 * fetched twice at once and hosts are not called too often; waits for running fetches of other
 * processes. Does not deliver: the next synchronisation does.
 */
@Injectable()
export class RefreshService implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Refresh');
  readonly #stop = new AbortController();
  readonly #running = new Map<string, RunningRefresh>();
  readonly #leases = new Map<Lease, Promise<void>>();

  constructor(
    private readonly settings: NewsSettings,
    private readonly allowances: Allowances,
    private readonly folders: FoldersRepository,
    private readonly refreshes: RefreshesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly refresher: SourceRefresher,
    private readonly outages: NetworkOutageDetector,
  ) {}

  /**
   * Fetches the selected feeds of a user. A request for the same feeds joins a running refresh.
   *
   * @throws FeedNotFound
   * @throws FeedNotFetched for a single feed that items are added to
   * @throws FolderNotFound
   * @throws RefreshUnderWay while other feeds of the user are being refreshed
   * @throws RefreshLimitReached
   */
  async refresh(
    reader: Reader,
    selection: FeedSelection,
    onProgress: OnRefreshProgress = () => {},
  ): Promise<RefreshReport> {
    const key = JSON.stringify(selection);
    const running = this.#running.get(reader.userId) ?? this.#start(reader, key, selection);
    if (running.key !== key) {
      throw new RefreshUnderWay();
    }
    running.listeners.add(onProgress);
    const report = await running.report;
    assertCurrentRight();
    return report;
  }

  /** Aborts running fetches and returns their leases. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled([
      ...this.#leases.values(),
      ...[...this.#running.values()].map(({ report }) => report),
    ]);
  }

  #start(reader: Reader, key: string, selection: FeedSelection): RunningRefresh {
    const listeners = new Set<OnRefreshProgress>();
    const tell: OnRefreshProgress = (progress) =>
      listeners.forEach((listener) => listener(progress));
    const report = forOthersToo(() => this.#refresh(reader, selection, tell)).finally(() =>
      this.#running.delete(reader.userId),
    );
    const running = { key, listeners, report };
    this.#running.set(reader.userId, running);
    return running;
  }

  async #refresh(
    reader: Reader,
    selection: FeedSelection,
    tell: OnRefreshProgress,
  ): Promise<RefreshReport> {
    const since = await this.refreshes.now();
    const candidates = await this.#candidates(reader, selection);
    const wanted = candidates.filter(({ isFresh, isResting }) => !isFresh && !isResting);
    const chosen = wanted.slice(0, Math.min(this.settings.refreshFeeds, wanted.length));
    const allowed = chosen.slice(0, await this.#take(reader, chosen.length));

    const finished = await this.#fetch(allowed, since, tell);
    const left = wanted.filter(({ sourceId }) => !finished.has(sourceId));
    if (left.length > 0) {
      const sourceIds = left.map(({ sourceId }) => sourceId);
      await this.schedule.bringForward(sourceIds, LEFT_DUE_SECONDS);
    }
    return {
      feeds: candidates.length,
      asked: finished.size,
      newItems: [...finished.values()].reduce((sum, { newItems }) => sum + newItems, 0),
      newFeeds: [...finished.values()].filter(({ newItems }) => newItems > 0).length,
      failures: allowed.flatMap((candidate) => failureOf(candidate, finished)),
      fresh: candidates.filter(({ isFresh }) => isFresh).length,
      resting: candidates.filter(({ isFresh, isResting }) => isResting && !isFresh).length,
      left: left.length,
    };
  }

  async #candidates(reader: Reader, selection: FeedSelection): Promise<RefreshCandidate[]> {
    const candidates = await this.refreshes.candidates(
      reader.id,
      selection,
      this.settings.refreshRestSeconds,
    );
    if (selection.of === 'feed' && candidates.length === 0) {
      throw new FeedNotFound(selection.feedId);
    }
    if (selection.of === 'folder' && selection.folderId !== null && candidates.length === 0) {
      const { folderId } = selection;
      FolderNotFound.unless(await this.folders.exists(reader.id, folderId), folderId);
    }
    const fetched = candidates.filter(({ isGiven }) => !isGiven);
    if (selection.of === 'feed' && fetched.length === 0) {
      throw new FeedNotFetched();
    }
    return fetched;
  }

  /**
   * Counts feeds against the user's hourly limit.
   *
   * @returns how many of them may be fetched
   * @throws RefreshLimitReached when none may
   */
  async #take(reader: Reader, feeds: number): Promise<number> {
    if (feeds === 0) {
      return 0;
    }
    const most = this.settings.refreshFeedsPerHour;
    const allowance = { kind: 'refreshed feeds', most, periodSeconds: HOUR_SECONDS };
    const { granted, waitSeconds } = await this.allowances.take(reader.userId, allowance, feeds);
    if (granted === 0) {
      throw new RefreshLimitReached(most, waitSeconds);
    }
    return granted;
  }

  /** @returns the fetches that ended in time, by source */
  async #fetch(
    candidates: readonly RefreshCandidate[],
    since: string,
    tell: OnRefreshProgress,
  ): Promise<ReadonlyMap<number, FinishedFetch>> {
    const finished = new Map<number, FinishedFetch>();
    const waiting = new Set(candidates.map(({ sourceId }) => sourceId));
    /** Ended fetches of this refresh. */
    const over = new Set<number>();
    const own = new Map<number, Promise<void>>();
    const timeUp = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIME_LIMIT_MS)]);

    while (waiting.size > 0 && !timeUp.aborted) {
      tell({ done: candidates.length - waiting.size, total: candidates.length });
      await this.#begin(waiting, own, over);
      await nextChange([...own.values()], timeUp);
      const wereOver = [...over];
      for (const fetch of await this.refreshes.finishedSince([...waiting], since)) {
        finished.set(fetch.sourceId, fetch);
        waiting.delete(fetch.sourceId);
      }
      // Fetches that ended without a recorded attempt are left to the schedule.
      wereOver.forEach((sourceId) => waiting.delete(sourceId));
    }
    return finished;
  }

  /** Begins as many fetches as possible, at most one per source. */
  async #begin(
    waiting: ReadonlySet<number>,
    own: Map<number, Promise<void>>,
    over: Set<number>,
  ): Promise<void> {
    const most = this.outages.isOutage ? FETCHES_DURING_OUTAGE : FETCHES_PER_REFRESH;
    const room = Math.min(most - own.size, CONCURRENT_FETCHES - this.#leases.size);
    const wanted = [...waiting].filter((sourceId) => !own.has(sourceId) && !over.has(sourceId));
    if (room <= 0 || wanted.length === 0) {
      return;
    }
    const leases = await this.schedule.claimWanted(wanted, {
      sources: room,
      perHost: FETCHES_PER_HOST,
      held: [...this.#leases.keys()],
      gapMs: HOST_GAP_MS,
      horizonMs: HORIZON_MS,
    });
    for (const lease of leases) {
      const fetch = this.#serve(lease).finally(() => {
        this.#leases.delete(lease);
        own.delete(lease.sourceId);
        over.add(lease.sourceId);
      });
      this.#leases.set(lease, fetch);
      own.set(lease.sourceId, fetch);
    }
  }

  /** Waits for the slot and fetches. The lease ends with the fetch or is returned. */
  async #serve(lease: Lease): Promise<void> {
    const { signal } = this.#stop;
    try {
      await delay(lease.waitMs, undefined, { signal });
      await this.refresher.refresh(lease, signal);
    } catch (error) {
      if (!signal.aborted) {
        this.#logger.error(`source ${lease.sourceId}: ${(error as Error).message}`);
      }
    }
    if (signal.aborted) {
      await this.schedule.release([lease]).catch(() => {
        // The database is unavailable; the lease expires.
      });
    }
  }
}

/** Resolves when one of the fetches has ended, after the polling interval, or when the time is up. */
async function nextChange(fetches: readonly Promise<void>[], timeUp: AbortSignal): Promise<void> {
  const changed = new AbortController();
  const signal = AbortSignal.any([changed.signal, timeUp]);
  await Promise.race([...fetches, delay(POLL_MS, undefined, { signal }).catch(() => {})]);
  changed.abort();
}

function failureOf(
  { feedId, sourceId, title, url }: RefreshCandidate,
  finished: ReadonlyMap<number, FinishedFetch>,
): RefreshFailure[] {
  const { outcome, message } = finished.get(sourceId) ?? { outcome: 'read', message: null };
  const isFailure = outcome === 'failed' || outcome === 'outage';
  return isFailure ? [{ feedId, title, url, message: message ?? '' }] : [];
}
