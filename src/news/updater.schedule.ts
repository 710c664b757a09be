import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { setTimeout as delay } from 'node:timers/promises';
import { Config } from '../common/config/config.js';
import { SourceRefresher } from './source-refresher.js';
import { ScheduleRepository, type Lease } from './store/schedule.repository.js';
import { UpdaterService } from './updater.service.js';

/** Fetches under way at once in one process; most of their time is waiting for publishers. */
const CONCURRENT_FETCHES = 32;
/** Slots of one host taken at a time, so that a host with many feeds leaves room for others. */
const SLOTS_PER_HOST = 20;
const HOST_GAP_MS = 1000;
const HOUSEKEEPING_SECONDS = 3600;
const DRAIN_MS = 10_000;

/**
 * The updater built into the process: before-update, fetch what is due, after-update. Every
 * process may run it; leases keep them from doing the same work.
 */
@Injectable()
export class UpdaterSchedule implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Updater');
  readonly #stop = new AbortController();
  #cycle: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly updater: UpdaterService,
    private readonly schedule: ScheduleRepository,
    private readonly refresher: SourceRefresher,
  ) {}

  @Cron('*/5 * * * * *', { name: 'feeds', waitForCompletion: true })
  async tick(): Promise<void> {
    if (!this.config.schedulerEnabled || this.#stop.signal.aborted) {
      return;
    }
    this.#cycle = this.runCycle();
    try {
      await this.#cycle;
    } catch (error) {
      // The database may be away for a moment; the next tick tries again.
      this.#logger.error(`the update cycle broke off: ${(error as Error).message}`);
    }
  }

  /** One whole cycle; ends when no source is due any more. */
  async runCycle(): Promise<void> {
    if (await this.schedule.takeTurn('before-update', HOUSEKEEPING_SECONDS)) {
      await this.updater.beforeUpdate();
    }
    await this.#fetchDue();
    if (await this.schedule.takeTurn('after-update', HOUSEKEEPING_SECONDS)) {
      await this.updater.afterUpdate();
    }
  }

  /** Stops claiming, lets running fetches finish for a while, and gives back what is left. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.race([this.#cycle.catch(() => {}), delay(DRAIN_MS, undefined, { ref: false })]);
  }

  async #fetchDue(): Promise<void> {
    const running = new Map<Lease, Promise<void>>();
    for (;;) {
      const free = CONCURRENT_FETCHES - running.size;
      const leases = this.#stop.signal.aborted
        ? []
        : await this.schedule.claimDue(free, SLOTS_PER_HOST, HOST_GAP_MS);
      for (const lease of leases) {
        running.set(
          lease,
          this.#refreshAtSlot(lease).finally(() => running.delete(lease)),
        );
      }
      if (running.size === 0) {
        return;
      }
      await Promise.race(running.values());
    }
  }

  async #refreshAtSlot(lease: Lease): Promise<void> {
    try {
      await delay(lease.waitMs, undefined, { signal: this.#stop.signal });
    } catch {
      await this.schedule.release([lease]);
      return;
    }
    try {
      await this.refresher.refresh(lease);
    } catch (error) {
      // The lease runs out by itself and the source is tried again.
      this.#logger.error(`source ${lease.sourceId}: ${(error as Error).message}`);
    }
  }
}
