import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { BackgroundTasks } from '../../../database/background-tasks.js';
import { Regularly } from '../../../database/regularly.js';
import { ContentStores } from '../stores/content-stores.service.js';
import { StoresRepository } from '../stores/stores.repository.js';
import { BlobsRepository } from './blobs.repository.js';

/** Exceeds the time to save a finished upload, or to open a file for download. */
const IDLE_SECONDS = 900;

/** Applies while the disk is nearly full; still exceeds saving an upload. */
const IDLE_SECONDS_WHEN_LOW = 60;

/** Longer than the timeout of any upload. */
const STALE_INCOMING_SECONDS = 24 * 3600;

const BATCH = 500;

/** Fewer: requests to an object store, during which files:move waits. */
const STORE_BATCH = 100;

/** Deletes unreferenced content and the leftovers of aborted uploads. */
@Injectable()
export class BlobSweep implements BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('Files'));
  readonly #before: (() => Promise<void>)[] = [];
  readonly #removed: ((blobId: string) => Promise<void>)[] = [];

  constructor(
    private readonly stores: ContentStores,
    private readonly places: StoresRepository,
    private readonly unreferenced: BlobsRepository,
    private readonly clock: Clock,
    private readonly disk: DiskSpace,
  ) {}

  /** @param step drops references to content before each sweep */
  beforeEach(step: () => Promise<void>): void {
    this.#before.push(step);
  }

  /** @param forget deletes data derived from content */
  onRemoved(forget: (blobId: string) => Promise<void>): void {
    this.#removed.push(forget);
  }

  @Regularly('files-sweep', 300)
  async tick(): Promise<void> {
    const idleSeconds = (await this.disk.checkLow()) ? IDLE_SECONDS_WHEN_LOW : IDLE_SECONDS;
    await this.#tasks.run('sweeping unreferenced content', () => this.sweep(idleSeconds));
  }

  /** @param idleSeconds how long content must have been unreferenced */
  async sweep(idleSeconds = IDLE_SECONDS): Promise<void> {
    // Guards against a wrong folder: its missing content would get the rows deleted.
    const { folder } = this.stores;
    await folder.assertPresent();
    const staleBefore = new Date(this.clock.now().getTime() - STALE_INCOMING_SECONDS * 1000);
    await folder.removeStale(staleBefore);
    for (const step of this.#before) {
      await step();
    }
    for (let removed = BATCH; removed === BATCH && !this.#tasks.isStopping;) {
      removed = await this.unreferenced.sweep(idleSeconds, BATCH, async (blobId, tx) => {
        if (!(await this.places.abandon(tx, blobId))) {
          await folder.remove(blobId);
        }
        for (const forget of this.#removed) {
          await forget(blobId);
        }
      });
    }
    await this.#sweepStores(staleBefore);
  }

  /** Apart from the folder, which is swept also while an object store is away. */
  async #sweepStores(staleBefore: Date): Promise<void> {
    const reachable = await this.stores.reachable();
    for (let removed = STORE_BATCH; removed === STORE_BATCH && !this.#tasks.isStopping;) {
      removed = await this.places.sweep(reachable, STORE_BATCH, async ({ blobId, storeId }) => {
        await (await this.stores.withId(storeId)).remove(blobId);
      });
    }
    for (const store of this.stores.objects) {
      await store.removeStale(staleBefore);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }
}
