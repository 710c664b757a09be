import { Injectable, Logger } from '@nestjs/common';
import { ScheduleRepository } from '../sources/schedule/schedule.repository.js';
import { WebSubService } from '../sources/websub/websub.service.js';
import { ArticleWork } from './article-work.task.js';
import { DueFetches } from './due-fetches.task.js';
import { HousekeepingRepository } from './housekeeping.repository.js';
import { ReaderRetention, type CleanUpLimits } from './reader-retention.service.js';
import { RetentionService } from './retention.service.js';
import { EVERY_MINUTE } from './update-requests.repository.js';

const BEFORE_UPDATE_EVERY_SECONDS = 3600;
const AFTER_UPDATE_EVERY_SECONDS = 3600;
const RESET_DATES_EVERY_SECONDS = 60;

/** A deleted folder or feed can be restored for at least this long. */
const UNDO_SECONDS = 3600;

/**
 * The update cycle of the specification: before-update, fetch, after-update.
 *
 * An administrator's script drives the steps one after the other (`updater.controller.ts` and
 * `updater.commands.ts`; it fetches with `UpdaterService.updateFeed`). The built-in schedule
 * (`updater.schedule.ts`) runs fetches all the time and the two other steps once an hour. Any number
 * of processes may do so: leases of sources and turns at tasks divide the work.
 *
 * @see docs/spec/feed-reader-api.md "Updater (administrator only)"
 */
@Injectable()
export class UpdateCycle {
  readonly #logger = new Logger('Updater');

  constructor(
    private readonly fetches: DueFetches,
    private readonly retention: RetentionService,
    private readonly ofReaders: ReaderRetention,
    private readonly schedule: ScheduleRepository,
    private readonly housekeeping: HousekeepingRepository,
    private readonly webSub: WebSubService,
    private readonly articleWork: ArticleWork,
  ) {}

  /**
   * Step 1: removes folders and feeds that are marked as deleted.
   *
   * @param graceSeconds keeps those marked less long ago
   */
  async beforeUpdate(graceSeconds = 0): Promise<void> {
    await this.ofReaders.purgeDeleted(graceSeconds);
  }

  /** Step 2: fetches until no source is due. */
  async fetchDue(): Promise<void> {
    await this.fetches.run();
  }

  /** Step 3: removes old read items, and everything that nothing refers to any more. */
  async afterUpdate(limits: CleanUpLimits = {}): Promise<void> {
    await this.retention.cleanUp(limits);
    this.articleWork.startUnlessScheduled();
  }

  /** Runs all due tasks except fetches; one process does each. */
  async keepHouse(): Promise<void> {
    await this.webSub.takeSteps();
    if (await this.housekeeping.takeTurn(EVERY_MINUTE, RESET_DATES_EVERY_SECONDS)) {
      await this.#resetImplausibleDates();
    }
    if (await this.housekeeping.takeTurn('before-update', BEFORE_UPDATE_EVERY_SECONDS)) {
      await this.beforeUpdate(UNDO_SECONDS);
    }
    if (await this.housekeeping.takeTurn('after-update', AFTER_UPDATE_EVERY_SECONDS)) {
      await this.afterUpdate({ grace: 'days' });
    }
  }

  async #resetImplausibleDates(): Promise<void> {
    const count = await this.schedule.resetImplausibleDates();
    if (count > 0) {
      this.#logger.warn(
        `Reset ${count} feed schedules that were implausibly far in the future (system clock changed?)`,
      );
    }
  }
}
