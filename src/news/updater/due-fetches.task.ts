import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { DatabaseUnavailable } from '../../database/database-unavailable.js';
import { DocumentPlaces } from '../sources/fetch/document-places.js';
import { NetworkOutageDetector } from '../sources/refreshing/network-outage-detector.service.js';
import { SourceRefresher } from '../sources/refreshing/source-refresher.service.js';
import { sharesOf } from '../sources/schedule/fetch-shares.js';
import { FETCHES_PER_HOST, HOST_GAP_MS } from '../sources/schedule/politeness.js';
import { ScheduleRepository, type Claim } from '../sources/schedule/schedule.repository.js';
import type { Lease } from '../sources/schedule/schedule.sql.js';
import { SourcesSettings } from '../sources/sources.settings.js';

/** Leases that wait for their slot cost nothing, so there may be many. */
const WAITING_LEASES = 128;
/** Leases of one spaced host, so that a host with many feeds leaves room for others. */
const LEASES_PER_HOST = 16;
/** Share of the concurrent fetches for a host without gaps. */
const SHARE_PER_UNSPACED_HOST = 0.75;
/** Slots later than this are not reserved: a lease has to outlast the wait and the fetch. */
const HORIZON_MS = 10_000;
/** Delay before retrying a source for which there was no room. */
const BUSY_SECONDS = 5;
/** Delay of a source that is only kept for those who come back, or restore it. */
const UNFOLLOWED_SECONDS = 900;
/** Sources are claimed in sets: when this share of the concurrent fetches has ended. */
const SHARE_PER_CLAIM = 0.125;
/** Poll interval for due sources while fewer fetches end. */
const POLL_MS = 1000;
/** Total of all documents that are read, parsed or written at the same time. */
const MIB_OF_DOCUMENTS = 320;

/** Fetches the sources that are due. Leases keep several processes from fetching the same one. */
@Injectable()
export class DueFetches implements BeforeApplicationShutdown {
  /** Time for running fetches to finish at shutdown. */
  drainMs = 5000;
  readonly #logger = new Logger('Updater');
  /** Ends claims. */
  readonly #stop = new AbortController();
  /** Ends running fetches. */
  readonly #abort = new AbortController();
  readonly #leases = new Map<Lease, Promise<void>>();
  readonly #fetchesOf = new Map<string, number>();
  readonly #documents: DocumentPlaces;
  readonly #mostFetches: number;
  #fetching = 0;
  /** Leases that ended since the last claim. */
  #ended = 0;
  #onEnd = (): void => {};

  constructor(
    settings: SourcesSettings,
    private readonly schedule: ScheduleRepository,
    private readonly refresher: SourceRefresher,
    private readonly outages: NetworkOutageDetector,
    private readonly disk: DiskSpace,
  ) {
    this.#mostFetches = settings.fetches;
    const places = Math.floor(MIB_OF_DOCUMENTS / settings.fetchDocumentMib);
    this.#documents = new DocumentPlaces(Math.min(32, places));
  }

  /** Fetches until no source is due. */
  async run(): Promise<void> {
    for (;;) {
      const left = await this.#claim();
      if (this.#leases.size === 0 && left !== 'unseen') {
        return;
      }
      if (this.outages.isOutage) {
        // Attempts that fail at once would follow each other without a pause.
        await delay(POLL_MS);
      } else if (left !== 'unseen') {
        await this.#ends(left === 'none' ? Infinity : this.#mostFetches * SHARE_PER_CLAIM);
      }
    }
  }

  /** Drains running fetches for some time, then aborts them and returns their leases. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    const drained = Promise.all(this.#leases.values());
    await Promise.race([drained, delay(this.drainMs, undefined, { ref: false })]);
    this.#abort.abort();
    await Promise.allSettled(this.#leases.values());
  }

  /** Resolves when this many fetches have ended, when none is left, or after the polling interval. */
  async #ends(count: number): Promise<void> {
    const enough = Promise.withResolvers<void>();
    const timer = setTimeout(enough.resolve, POLL_MS);
    this.#onEnd = () => {
      if (this.#ended >= count || this.#leases.size === 0) {
        enough.resolve();
      }
    };
    this.#onEnd();
    await enough.promise;
    clearTimeout(timer);
    this.#onEnd = () => {};
  }

  /** Number of sources that may be claimed now. */
  #room(): number {
    const leases = this.#mostFetches + WAITING_LEASES - this.#leases.size;
    return this.#documents.waiting > 0 ? 0 : Math.min(leases, this.#mostFetches - this.#fetching);
  }

  /** @returns which due sources are left to claim */
  async #claim(): Promise<Claim['left']> {
    const room = this.#room();
    this.#ended = 0;
    if (room <= 0 || this.#stop.signal.aborted || (await this.disk.checkLow())) {
      return 'later';
    }
    if (!(await this.schedule.isAnyDue())) {
      return 'none';
    }
    const { leases, left } = await this.schedule.claimDue({
      sources: room,
      perHost: LEASES_PER_HOST,
      perUnspacedHost: Math.ceil(this.#mostFetches * SHARE_PER_UNSPACED_HOST),
      held: [...this.#leases.keys()],
      gapMs: HOST_GAP_MS,
      horizonMs: HORIZON_MS,
      shares: sharesOf(this.#mostFetches, this.outages.isOutage),
    });
    for (const lease of leases) {
      const work = this.#serve(lease)
        .catch((error: Error) => {
          // The lease expires and the fetch is retried. The database's absence is logged already.
          if (!(error instanceof DatabaseUnavailable)) {
            this.#logger.error(`source ${lease.sourceId}: ${error.message}`);
          }
        })
        .finally(() => {
          this.#leases.delete(lease);
          this.#ended += 1;
          this.#onEnd();
        });
      this.#leases.set(lease, work);
    }
    return left;
  }

  /** Waits for the slot and fetches. The lease ends with the fetch or is returned. */
  async #serve(lease: Lease): Promise<void> {
    if (lease.source?.followedBy.length === 0) {
      await this.schedule.release([lease], UNFOLLOWED_SECONDS);
      return;
    }
    try {
      if (lease.waitMs > 0) {
        await delay(lease.waitMs, undefined, { signal: this.#stop.signal });
      }
    } catch {
      await this.schedule.release([lease]);
      return;
    }
    const { hostKey, spaced } = lease;
    const running = this.#fetchesOf.get(hostKey) ?? 0;
    const isHostBusy = spaced && running >= FETCHES_PER_HOST;
    if (isHostBusy || this.#fetching >= this.#mostFetches) {
      await this.schedule.release([lease], BUSY_SECONDS);
      return;
    }

    this.#fetching += 1;
    this.#fetchesOf.set(hostKey, running + 1);
    try {
      const documents = this.#documents;
      await this.refresher.refresh(lease, this.#abort.signal, { haste: 'gathered', documents });
    } finally {
      this.#fetching -= 1;
      this.#fetchesOf.set(hostKey, (this.#fetchesOf.get(hostKey) ?? 1) - 1);
      if (this.#fetchesOf.get(hostKey) === 0) {
        this.#fetchesOf.delete(hostKey);
      }
      if (this.#abort.signal.aborted) {
        await this.schedule.release([lease]);
      }
    }
  }
}
