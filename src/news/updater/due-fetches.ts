import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { DatabaseUnavailable } from '../../database/database-unavailable.js';
import { NetworkOutageDetector } from '../sources/network-outage-detector.js';
import type { Lease } from '../sources/schedule/claim.sql.js';
import { ScheduleRepository } from '../sources/schedule/schedule.repository.js';
import { SourceRefresher } from '../sources/source-refresher.js';

/** Concurrent fetches of one process; most of their time is waiting for publishers. */
const CONCURRENT_FETCHES = 32;
/** Leases that wait for their slot cost nothing, so there may be many. */
const WAITING_LEASES = 128;
/** Leases of one host, so that a host with many feeds leaves room for others. */
const LEASES_PER_HOST = 16;
const HOST_GAP_MS = 1000;
/** Slots later than this are not reserved: a lease has to outlast the wait and the fetch. */
const HORIZON_MS = 10_000;
/** Concurrent fetches from one spaced host, so that a slow one does not accumulate requests. */
const FETCHES_PER_HOST = 4;
/** Until a source is retried for which there was no room. */
const BUSY_SECONDS = 5;
/** How often due sources are looked for while fetches are running. */
const POLL_MS = 1000;
const FETCHES_DURING_OUTAGE = 4;

/** Fetches the sources that are due. Leases keep several processes from fetching the same one. */
@Injectable()
export class DueFetches implements BeforeApplicationShutdown {
  /** How long running fetches may continue after the service was told to stop. */
  drainMs = 5000;
  readonly #logger = new Logger('Updater');
  /** Ends claims. */
  readonly #stop = new AbortController();
  /** Ends running fetches. */
  readonly #abort = new AbortController();
  readonly #leases = new Map<Lease, Promise<void>>();
  readonly #fetchesOf = new Map<string, number>();
  #fetching = 0;

  constructor(
    private readonly schedule: ScheduleRepository,
    private readonly refresher: SourceRefresher,
    private readonly outages: NetworkOutageDetector,
    private readonly disk: DiskSpace,
  ) {}

  /** Fetches until no source is due. */
  async run(): Promise<void> {
    for (;;) {
      const deferred = await this.#claim();
      if (this.#leases.size === 0 && deferred === 0) {
        return;
      }
      const pollAgain = new AbortController();
      await Promise.race([
        ...this.#leases.values(),
        delay(deferred > 0 ? 0 : POLL_MS, undefined, { signal: pollAgain.signal }),
      ]);
      pollAgain.abort();
    }
  }

  /** Drains running fetches for a while, then aborts them and returns their leases. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    const drained = Promise.all(this.#leases.values());
    await Promise.race([drained, delay(this.drainMs, undefined, { ref: false })]);
    this.#abort.abort();
    await Promise.allSettled(this.#leases.values());
  }

  /** @returns the number of due sources that were postponed; then others may be due behind them */
  async #claim(): Promise<number> {
    const room = this.outages.isOutage
      ? FETCHES_DURING_OUTAGE - this.#leases.size
      : Math.min(
          CONCURRENT_FETCHES + WAITING_LEASES - this.#leases.size,
          CONCURRENT_FETCHES - this.#fetching,
        );
    if (room <= 0 || this.#stop.signal.aborted || (await this.disk.checkLow())) {
      return 0;
    }
    const { leases, deferred } = await this.schedule.claimDue({
      sources: room,
      perHost: LEASES_PER_HOST,
      held: [...this.#leases.keys()],
      gapMs: HOST_GAP_MS,
      horizonMs: HORIZON_MS,
    });
    for (const lease of leases) {
      const work = this.#serve(lease)
        .catch((error: Error) => {
          // The lease expires and the fetch is retried. The database's absence is logged already.
          if (!(error instanceof DatabaseUnavailable)) {
            this.#logger.error(`source ${lease.sourceId}: ${error.message}`);
          }
        })
        .finally(() => this.#leases.delete(lease));
      this.#leases.set(lease, work);
    }
    return leases.length === 0 ? deferred : 0;
  }

  /** Waits for the slot and fetches. The lease ends with the fetch or is returned. */
  async #serve(lease: Lease): Promise<void> {
    try {
      await delay(lease.waitMs, undefined, { signal: this.#stop.signal });
    } catch {
      await this.schedule.release([lease]);
      return;
    }
    const { hostKey, spaced } = lease;
    const running = this.#fetchesOf.get(hostKey) ?? 0;
    const isHostBusy = spaced && running >= FETCHES_PER_HOST;
    if (isHostBusy || this.#fetching >= CONCURRENT_FETCHES) {
      await this.schedule.release([lease], BUSY_SECONDS);
      return;
    }

    this.#fetching += 1;
    this.#fetchesOf.set(hostKey, running + 1);
    try {
      await this.refresher.refresh(lease, this.#abort.signal);
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
