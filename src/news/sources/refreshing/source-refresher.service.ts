import { Injectable, Logger } from '@nestjs/common';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { forOthersToo } from '../../../database/statement-limits.js';
import { ReadingUnavailable } from '../../feed-parser/pool/reading-pool.js';
import { ArticlesRepository } from '../articles/articles.repository.js';
import type { AddressChange, FetchResult } from '../articles/fetch-record.sql.js';
import type { Haste } from '../articles/fetch-sets.js';
import type { DocumentPlaces } from '../fetch/document-places.js';
import {
  FeedFetcher,
  brokenFetch,
  type FetchedFeed,
  type KnownDocument,
} from '../fetch/fetch-feed.service.js';
import type { NextUpdate } from '../schedule/next-update.js';
import { ScheduleRepository } from '../schedule/schedule.repository.js';
import type { Lease } from '../schedule/schedule.sql.js';
import { UpdatePlanner } from '../schedule/update-planner.service.js';
import { SourcesRepository } from '../sources.repository.js';
import type { Source } from '../sources.sql.js';
import { describeMove, movedAddress } from './moved-address.js';
import { NetworkOutageDetector, type NetworkSign } from './network-outage-detector.service.js';

/** Number of 304 responses in a row after which the document is requested without validators. */
const MOST_NOT_MODIFIED = 30;

/** Retry after an outage of our network or database: within a minute, but not for all sources at once. */
const RETRY_SECONDS = 20;
const MOST_RETRY_SECONDS = 60;

/** What failed fetches say about the network. All others reached a server. */
const SIGNS: ReadonlyMap<string, NetworkSign['outcome']> = new Map([
  ['host-not-found', 'unreached'],
  ['network', 'unreached'],
  ['timeout', 'silent'],
]);

/** Result of a refresh; `message` may be shown to users. `superseded`: the lease was lost. */
export type RefreshOutcome =
  | { readonly outcome: 'updated' | 'unchanged' | 'superseded' }
  | { readonly outcome: 'failed'; readonly message: string };

/** Use of shared resources by a refresh. */
interface RefreshManner {
  readonly haste?: Haste;
  /** Places for documents; one is taken if a document arrives. */
  readonly documents?: DocumentPlaces;
}

/** Called after a successful fetch was stored; awaited. */
type FetchListener = (source: Source, fetched: FetchedFeed) => void | Promise<void>;

const SUPERSEDED: RefreshOutcome = { outcome: 'superseded' };

/**
 * Brings one source up to date: fetches the document and writes the result together with the next
 * due date. That date is written in every case, including errors of our own, unless the lease is lost.
 */
@Injectable()
export class SourceRefresher {
  readonly #logger = new Logger('Feeds');
  readonly #running = new Map<number, Promise<RefreshOutcome>>();
  /** Writes of network failures; an outage waits for them before it takes the failures back. */
  readonly #failing = new Set<Promise<unknown>>();
  readonly #listeners: FetchListener[] = [];

  constructor(
    private readonly fetcher: FeedFetcher,
    private readonly sources: SourcesRepository,
    private readonly articles: ArticlesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly planner: UpdatePlanner,
    private readonly outages: NetworkOutageDetector,
  ) {}

  onFetched(listener: FetchListener): void {
    this.#listeners.push(listener);
  }

  /** Refreshes a source now, due or not. Concurrent calls share one fetch. */
  async refreshNow(sourceId: number): Promise<RefreshOutcome> {
    return (
      this.#running.get(sourceId) ??
      this.#run(
        sourceId,
        forOthersToo(() => this.#claimAndRefresh(sourceId)),
      )
    );
  }

  /** Sources that `refreshNow` and `refreshLeased` are refreshing. */
  get running(): readonly number[] {
    return [...this.#running.keys()];
  }

  /**
   * Refreshes a source that the caller has just leased, as `refreshNow` does. Of concurrent calls, one
   * holds the valid lease.
   */
  async refreshLeased(lease: Lease): Promise<RefreshOutcome> {
    const { sourceId } = lease;
    for (
      let running = this.#running.get(sourceId);
      running !== undefined;
      running = this.#running.get(sourceId)
    ) {
      const refreshed = await running;
      if (refreshed.outcome !== 'superseded') {
        return refreshed;
      }
    }
    return this.#run(
      sourceId,
      forOthersToo(() => this.refresh(lease)),
    );
  }

  async #run(sourceId: number, work: Promise<RefreshOutcome>): Promise<RefreshOutcome> {
    const refresh = work.finally(() => this.#running.delete(sourceId));
    this.#running.set(sourceId, refresh);
    return refresh;
  }

  async #claimAndRefresh(sourceId: number): Promise<RefreshOutcome> {
    const lease = await this.schedule.claim(sourceId);
    return lease === null ? SUPERSEDED : this.refresh(lease);
  }

  /**
   * Refreshes a source that the caller has leased.
   *
   * @param signal aborts the fetch; the caller then returns the lease
   * @param manner default: at once
   * @throws DatabaseUnavailable, ReadingUnavailable or an error of the database connection
   */
  async refresh(
    lease: Lease,
    signal?: AbortSignal,
    { haste = 'now', documents }: RefreshManner = {},
  ): Promise<RefreshOutcome> {
    const source = lease.source ?? (await this.sources.find(lease.sourceId));
    if (source === null) {
      return SUPERSEDED;
    }
    const pace = lease.lane === 'quick' ? 'quick' : 'slow';
    let hasPlace = false;
    const beforeBody = async (ended: AbortSignal): Promise<void> => {
      await documents?.take(ended, pace);
      hasPlace = true;
    };
    try {
      const fetched = await this.fetcher.fetch(documentOf(source), signal, beforeBody);
      return await this.record(lease, source, fetched, haste);
    } catch (error) {
      if (signal?.aborted) {
        return SUPERSEDED;
      }
      return await this.#recordError(lease, source, error);
    } finally {
      if (hasPlace) {
        documents?.leave(pace);
      }
    }
  }

  /**
   * Writes the result of a fetch and the next due date.
   *
   * @throws as `refresh` does
   */
  async record(
    lease: Lease,
    source: Source,
    fetched: FetchedFeed,
    haste: Haste = 'now',
  ): Promise<RefreshOutcome> {
    const isRefused = fetched.outcome === 'failed' && fetched.kind === 'not-allowed';
    const sign = signOf(lease, source, fetched);
    // A refusal of our own says nothing about the network.
    const network = isRefused ? null : this.outages.note(sign);
    if (network?.is === 'outage') {
      return this.#recordOutage(lease, fetched, network.forgiven);
    }
    if (network !== null && network.witnesses.length > 0) {
      await this.schedule.bringForward(network.witnesses, 0);
    }
    await this.schedule.noteAnswer(lease, fetched);

    const address = movedAddress(source, fetched);
    const written = this.#write(lease, source, fetched, address, haste).catch((error: unknown) =>
      this.#recordError(lease, source, error, fetched),
    );
    if (sign.outcome !== 'reached') {
      this.#failing.add(written);
      void written.finally(() => this.#failing.delete(written)).catch(() => {});
    }
    const refreshed = await written;
    if (refreshed.outcome === 'updated' || refreshed.outcome === 'unchanged') {
      await Promise.all(this.#listeners.map((listener) => listener(source, fetched)));
    }
    return refreshed;
  }

  async #write(
    lease: Lease,
    source: Source,
    fetched: FetchedFeed,
    address: AddressChange,
    haste: Haste = 'now',
  ): Promise<RefreshOutcome> {
    const { status, durationMs, bytes } = fetched;
    const result = resultOf(fetched);
    const next = this.planner.nextUpdate(source, fetched);
    const move = describeMove(address);
    const decision = move === null ? next.reason : `${next.reason}; ${move}`;
    const notes = { status, durationMs, bytes, decision };
    const dueInSeconds = next.waitSeconds;
    const restSeconds = fetched.outcome === 'failed' ? restAfter(fetched, dueInSeconds) : null;
    const record = { result, address, dueInSeconds, restSeconds, notes };
    const ingested = await this.articles.recordFetch(lease, record, haste);
    if (ingested === null) {
      return SUPERSEDED;
    }
    this.#log(source, result, next, address);
    return result.outcome === 'failed'
      ? { outcome: 'failed', message: result.message }
      : { outcome: result.outcome === 'document' ? 'updated' : 'unchanged' };
  }

  /**
   * Handles an internal error: one that the source may have caused is recorded as its failure; after
   * any other the lease is returned.
   *
   * @param fetched null when the fetch itself threw
   * @throws the error when the source did not cause it
   */
  async #recordError(
    lease: Lease,
    source: Source,
    error: unknown,
    fetched: FetchedFeed | null = null,
  ): Promise<RefreshOutcome> {
    const cause = classifyRefreshError(error);
    if (cause.is === 'ours') {
      await this.schedule.release([lease], retrySeconds()).catch(() => {
        // The database is still unavailable; the lease expires.
      });
      throw error;
    }
    this.#logger.error(`source ${source.id}: ${(error as Error).stack ?? cause.message}`);
    return this.#write(lease, source, brokenFetch(cause.message, fetched), { is: 'none' });
  }

  /** Our network is down: no failure is counted, and all affected sources are due again soon. */
  async #recordOutage(
    lease: Lease,
    { status, durationMs, bytes, ...fetched }: FetchedFeed,
    forgiven: readonly number[],
  ): Promise<RefreshOutcome> {
    const message = 'message' in fetched ? fetched.message : '';
    const decision = 'the network is down; retrying shortly';
    const written = await this.articles.recordFetch(lease, {
      result: { outcome: 'outage', message },
      address: { is: 'none' },
      dueInSeconds: retrySeconds(),
      notes: { status, durationMs, bytes, decision },
    });
    if (forgiven.length > 0) {
      await Promise.allSettled(this.#failing);
      await this.articles.forgiveFailures(forgiven);
      await this.schedule.bringForward(forgiven, MOST_RETRY_SECONDS);
    }
    return written === null ? SUPERSEDED : { outcome: 'failed', message };
  }

  #log(source: Source, result: FetchResult, next: NextUpdate, address: AddressChange): void {
    if (result.outcome === 'failed') {
      this.#logger.log(
        `source ${source.id}: ${result.message} (error ${source.errorCount + 1} in a row, ` +
          `next try in ${Math.round(next.waitSeconds / 60)} min: ${next.reason})`,
      );
    }
    if (address.is === 'moved') {
      this.#logger.log(`source ${source.id}: ${describeMove(address)}`);
    }
  }
}

function signOf({ hostKey }: Lease, source: Source, fetched: FetchedFeed): NetworkSign {
  const { id: sourceId, followedBy, errorCount, fetchedSeconds } = source;
  const answeredLately = errorCount === 0 && fetchedSeconds !== null;
  const outcome = (fetched.outcome === 'failed' ? SIGNS.get(fetched.kind) : undefined) ?? 'reached';
  return { sourceId, hostKey, followedBy, answeredLately, outcome };
}

function documentOf(source: Source): KnownDocument {
  const { url, effectiveUrl, etag, lastModified, bodyHash, notModifiedInRow, access, itemRule } =
    source;
  const validators =
    notModifiedInRow < MOST_NOT_MODIFIED
      ? { etag, lastModified }
      : { etag: null, lastModified: null };
  return { url: effectiveUrl ?? url, ...validators, bodyHash, access, itemRule };
}

function resultOf(fetched: FetchedFeed): FetchResult {
  switch (fetched.outcome) {
    case 'feed': {
      const { feed, bodyHash, validators } = fetched;
      return { outcome: 'document', feed, bodyHash, validators };
    }
    case 'unchanged':
      return { outcome: 'unchanged', validators: fetched.validators };
    case 'web-page':
      return {
        outcome: 'failed',
        message: 'The address leads to a web page, not to a feed.',
        gone: false,
        refused: false,
        document: fetched.document,
      };
    case 'failed': {
      const { kind, document } = fetched;
      const gone = kind === 'gone';
      const message = gone ? `${fetched.message} ${GONE_NOTE}` : fetched.message;
      return { outcome: 'failed', message, gone, refused: kind === 'not-allowed', document };
    }
  }
}

/** Pause for the publisher: its Retry-After, else until the next fetch after 429 and 410. */
function restAfter(
  { kind, retryAfterSeconds }: FetchedFeed & { outcome: 'failed' },
  dueInSeconds: number,
): number | null {
  return retryAfterSeconds ?? (kind === 'gone' || kind === 'rate-limited' ? dueInSeconds : null);
}

const GONE_NOTE = 'Its items are kept, and the address is checked once a week.';

/** Jittered, so that sources that failed together are not all retried together. */
function retrySeconds(): number {
  return RETRY_SECONDS + (MOST_RETRY_SECONDS - RETRY_SECONDS) * Math.random();
}

type RefreshErrorCause =
  /** The database or this process has a problem that affects any source. */
  | { readonly is: 'ours' }
  /** Possibly caused by the document, so it counts as a failure of the source. */
  | { readonly is: 'of-the-source'; readonly message: string };

/** SQLSTATE classes of an unavailable server, connection, transaction or lock. */
const UNAVAILABLE_CLASSES = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58']);

export function classifyRefreshError(error: unknown): RefreshErrorCause {
  const sqlState = sqlStateOf(error);
  if (error instanceof ReadingUnavailable || error instanceof DatabaseUnavailable) {
    return { is: 'ours' };
  }
  if (sqlState === null) {
    return {
      is: 'of-the-source',
      message: 'Gatefold failed to process this feed; see its log.',
    };
  }
  return UNAVAILABLE_CLASSES.has(sqlState.slice(0, 2))
    ? { is: 'ours' }
    : {
        is: 'of-the-source',
        message: `The feed was read, but could not be stored (database error ${sqlState}).`,
      };
}

/**
 * The SQLSTATE of an error of the database or its driver, or of its cause; `08000` (connection
 * exception) for errors of the socket.
 */
function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error)) {
    return null;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) {
    return code;
  }
  if (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_)/.test(code) ||
    CONNECTION_LOST.test(error.message)
  ) {
    return '08000';
  }
  return sqlStateOf(error.cause);
}

/** The driver gives these errors no code: a connection ended during a query, or none became free. */
const CONNECTION_LOST =
  /connection (terminated|ended|error|timeout)|timeout exceeded when trying to connect|not queryable|after calling end on the pool/i;
