import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Cron } from '@nestjs/schedule';
import { Clock } from '../../common/clock.js';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { DatabaseUnavailable } from '../../database/database-unavailable.js';
import { BlobStore } from './blob-store.js';
import { BlobsRepository } from './blobs.repository.js';
import { PiecewiseUploadsRepository } from '../piecewise/piecewise-uploads.repository.js';

/** An upload is saved within moments of its end, and a download begun by then has opened its file. */
const IDLE_SECONDS = 900;

/** While the disk is nearly full. Still longer than an upload takes to be saved. */
const IDLE_SECONDS_WHEN_LOW = 60;

/** Longer than any sender pauses. */
const STALE_ARRIVAL_SECONDS = 24 * 3600;

/** Programs go on after a break of hours, not of days. */
const STALE_UPLOAD_SECONDS = 24 * 3600;

const MOST_AT_ONCE = 500;

/** Removes content that no file has any more, and what broken-off uploads left behind. */
@Injectable()
export class BlobSweep implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Files');
  #stopped = false;
  #round: Promise<void> = Promise.resolve();

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly blobs: BlobStore,
    private readonly unreferenced: BlobsRepository,
    private readonly piecewise: PiecewiseUploadsRepository,
    private readonly clock: Clock,
    private readonly disk: DiskSpace,
  ) {}

  @Cron('0 */5 * * * *', { name: 'files-sweep', waitForCompletion: true })
  async tick(): Promise<void> {
    // A command of the command line starts no web server, and minds its own business.
    if (!this.http.listening || this.#stopped) {
      return;
    }
    const idleSeconds = (await this.disk.checkLow()) ? IDLE_SECONDS_WHEN_LOW : IDLE_SECONDS;
    this.#round = this.sweep(idleSeconds);
    try {
      await this.#round;
    } catch (error) {
      // The next tick tries again. That the database is away is in the log already.
      if (!(error instanceof DatabaseUnavailable)) {
        this.#logger.error(`removing old content broke off: ${(error as Error).message}`);
      }
    }
  }

  /** @param idleSeconds how long content must have been without a file */
  async sweep(idleSeconds = IDLE_SECONDS): Promise<void> {
    // In another folder nothing would be found, and the contents would stay for ever.
    await this.blobs.assertPresent();
    const staleBefore = new Date(this.clock.now().getTime() - STALE_ARRIVAL_SECONDS * 1000);
    await this.blobs.removeStaleIncoming(staleBefore);
    await this.piecewise.removeStale(STALE_UPLOAD_SECONDS);
    for (let removed = MOST_AT_ONCE; removed === MOST_AT_ONCE && !this.#stopped;) {
      removed = await this.unreferenced.sweep(idleSeconds, MOST_AT_ONCE, (blobId) =>
        this.blobs.remove(blobId),
      );
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    await this.#round.catch(() => {});
  }
}
