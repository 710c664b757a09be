import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { setTimeout as delay } from 'node:timers/promises';
import { Config } from '../../common/config/config.js';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { DatabaseUnavailable } from '../../database/database-unavailable.js';
import { OutageWatch } from '../sources/network-outage-detector.js';
import { SourceRefresher } from '../sources/source-refresher.js';
import { ScheduleRepository, type Lease } from '../sources/schedule/schedule.repository.js';
import { UpdaterService } from './updater.service.js';
import { WebSubService } from '../websub/websub.service.js';

/** Fetches under way at once in one process; most of their time is waiting for publishers. */
const CONCURRENT_FETCHES = 32;
/** Leases that wait for their slot do nothing, so there may be many. */
const WAITING_LEASES = 128;
/** Leases of one host held at a time, so that a host with many feeds leaves room for others. */
const LEASES_PER_HOST = 16;
const HOST_GAP_MS = 1000;
/** Slots later than this are not reserved; a lease has to outlive the wait and the fetch. */
const HORIZON_MS = 10_000;
/** Of a spaced host; one that is slow to answer is not called by more and more fetches. */
const FETCHES_PER_HOST = 4;
/** Until a source is tried again whose host was busy, or for which there was no room. */
const BUSY_SECONDS = 5;
/** Due sources are looked for this often while fetches are under way. */
const LOOK_AGAIN_MS = 1000;
/** Of a network that is down not much is asked. */
const PROBES_DURING_OUTAGE = 4;
const FETCH_EVERY_MS = 2000;
const KEEP_HOUSE_EVERY_MS = 20_000;
const HOUSEKEEPING_SECONDS = 3600;
/** Soon after a clock was set back, sources are due again when they should be. */
const MEND_DATES_SECONDS = 60;
/** A deleted folder or feed can be brought back for at least this long. */
const UNDO_SECONDS = 3600;

/**
 * The updater built into the process: before-update, fetch what is due, after-update. Every
 * process may run it; leases keep them from doing the same work.
 */
@Injectable()
export class UpdaterSchedule implements BeforeApplicationShutdown {
  /** How long fetches under way may go on after the service was told to stop. */
  drainMs = 5000;
  readonly #logger = new Logger('Updater');
  /** No more claims. */
  readonly #stop = new AbortController();
  /** No more waiting for publishers. */
  readonly #giveUp = new AbortController();
  readonly #leases = new Map<Lease, Promise<void>>();
  readonly #fetchesOf = new Map<string, number>();
  #fetching = 0;
  readonly #tasks = new Map<string, Promise<void>>();

  constructor(
    private readonly config: Config,
    private readonly updater: UpdaterService,
    private readonly schedule: ScheduleRepository,
    private readonly refresher: SourceRefresher,
    private readonly outage: OutageWatch,
    private readonly webSub: WebSubService,
    private readonly disk: DiskSpace,
  ) {}

  // Intervals rather than times of the day: those stand still when the clock is set back.
  @Interval('feeds', FETCH_EVERY_MS)
  async fetchTick(): Promise<void> {
    await this.#unlessAtIt('fetching', () => this.fetchDue());
  }

  /** On its own, so that a long round of fetches does not hold it up. */
  @Interval('housekeeping', KEEP_HOUSE_EVERY_MS)
  async housekeepingTick(): Promise<void> {
    await this.#unlessAtIt('housekeeping', () => this.keepHouse());
  }

  /** Before- and after-update and talks with hubs, whatever of it is due. */
  async keepHouse(): Promise<void> {
    await this.webSub.takeSteps();
    if (await this.schedule.takeTurn('mend-dates', MEND_DATES_SECONDS)) {
      await this.updater.mendDates();
    }
    if (await this.schedule.takeTurn('before-update', HOUSEKEEPING_SECONDS)) {
      await this.updater.beforeUpdate(UNDO_SECONDS);
    }
    if (await this.schedule.takeTurn('after-update', HOUSEKEEPING_SECONDS)) {
      await this.updater.afterUpdate({ grace: 'days' });
    }
  }

  /** Fetches until no source is due any more. */
  async fetchDue(): Promise<void> {
    for (;;) {
      const deferred = await this.#claim();
      if (this.#leases.size === 0 && deferred === 0) {
        return;
      }
      const lookAgain = new AbortController();
      await Promise.race([
        ...this.#leases.values(),
        delay(deferred > 0 ? 0 : LOOK_AGAIN_MS, undefined, { signal: lookAgain.signal }),
      ]);
      lookAgain.abort();
    }
  }

  /** Stops claiming, lets running fetches finish for a while, and gives back what is left. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    const finished = Promise.all([...this.#tasks.values(), ...this.#leases.values()]);
    await Promise.race([finished, delay(this.drainMs, undefined, { ref: false })]);
    this.#giveUp.abort();
    // Given up fetches return their leases themselves.
    await Promise.allSettled(this.#leases.values());
  }

  /** Does a task unless it is still being done, or the service stops. */
  async #unlessAtIt(task: string, work: () => Promise<void>): Promise<void> {
    if (!this.config.schedulerEnabled || this.#stop.signal.aborted || this.#tasks.has(task)) {
      return;
    }
    const running = work()
      .catch((error: Error) => this.#report(`${task} broke off`, error))
      .finally(() => this.#tasks.delete(task));
    this.#tasks.set(task, running);
    await running;
  }

  #report(what: string, error: Error): void {
    // The next tick tries again. That the database is away is in the log already.
    if (!(error instanceof DatabaseUnavailable)) {
      this.#logger.error(`${what}: ${error.message}`);
    }
  }

  /** @returns how many due sources were put off, so that it is worth looking for others at once */
  async #claim(): Promise<number> {
    const room = this.outage.isOutage
      ? PROBES_DURING_OUTAGE - this.#leases.size
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
      held: countByHost(this.#leases.keys()),
      gapMs: HOST_GAP_MS,
      horizonMs: HORIZON_MS,
    });
    for (const lease of leases) {
      const work = this.#serve(lease)
        .catch((error: Error) => this.#report(`source ${lease.sourceId}`, error))
        .finally(() => this.#leases.delete(lease));
      this.#leases.set(lease, work);
    }
    return leases.length === 0 ? deferred : 0;
  }

  /** Waits for the slot and fetches; every way out finishes the lease or gives it back. */
  async #serve(lease: Lease): Promise<void> {
    try {
      await delay(lease.waitMs, undefined, { signal: this.#stop.signal });
    } catch {
      await this.schedule.release([lease]);
      return;
    }
    const { hostKey, spaced } = lease;
    const underWay = this.#fetchesOf.get(hostKey) ?? 0;
    const isHostBusy = spaced && underWay >= FETCHES_PER_HOST;
    if (isHostBusy || this.#fetching >= CONCURRENT_FETCHES) {
      await this.schedule.release([lease], BUSY_SECONDS);
      return;
    }

    this.#fetching += 1;
    this.#fetchesOf.set(hostKey, underWay + 1);
    try {
      await this.refresher.refresh(lease, this.#giveUp.signal);
    } finally {
      this.#fetching -= 1;
      this.#fetchesOf.set(hostKey, (this.#fetchesOf.get(hostKey) ?? 1) - 1);
      if (this.#fetchesOf.get(hostKey) === 0) {
        this.#fetchesOf.delete(hostKey);
      }
      if (this.#giveUp.signal.aborted) {
        await this.schedule.release([lease]);
      }
    }
  }
}

function countByHost(leases: Iterable<Lease>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { hostKey } of leases) {
    counts.set(hostKey, (counts.get(hostKey) ?? 0) + 1);
  }
  return counts;
}
