import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTasks } from '../../database/background-tasks.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import { EarlyReadersRepository } from '../reader/delivery/early-readers.repository.js';
import { PAGING_SECONDS } from '../reader/delivery/reader-clients.repository.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { OpmlRepository } from './opml.repository.js';
import { OpmlService } from './opml.service.js';

/** Slow publishers are not waited for longer: what they bring is delivered when a client asks. */
const LONGEST_SECONDS = 600;

/**
 * Makes the items of a large import while its feeds are fetched: thousands of them would let the first client that
 * asks wait. Only a head start, which ends with this process: a client finds nothing missing without it.
 */
@Injectable()
export class ImportDeliveries implements BeforeApplicationShutdown {
  /** Smaller imports are delivered fast enough. */
  fewestFeeds = 50;
  /** A client that is between pages when the import ends has noted it by then, or wants no more. */
  firstMs = PAGING_SECONDS * 1000;
  everyMs = 10_000;
  readonly #tasks = new BackgroundTasks(new Logger('OPML'));
  /** One task of each at a time. */
  readonly #readerIds = new Set<number>();

  constructor(
    private readonly readers: ReadersRepository,
    private readonly early: EarlyReadersRepository,
    private readonly delivery: DeliveryService,
    private readonly progress: OpmlRepository,
    opml: OpmlService,
  ) {
    opml.onImported((reader, { imported, afterFeedId }) => {
      // An import of a reader whose former one is not done has higher feed ids, which that looks at as well.
      if (imported >= this.fewestFeeds && !this.#readerIds.has(reader.id)) {
        this.#readerIds.add(reader.id);
        const task = `delivering the import of reader ${reader.id}`;
        void this.#tasks
          .run(task, (signal) => this.#deliver({ ...reader }, afterFeedId, signal))
          .finally(() => this.#readerIds.delete(reader.id));
      }
    });
  }

  async #deliver(reader: Reader, afterFeedId: number, signal: AbortSignal): Promise<void> {
    const endsAt = performance.now() + LONGEST_SECONDS * 1000;
    const lastsSeconds = LONGEST_SECONDS + PAGING_SECONDS;
    await this.readers.change(
      reader,
      (tx, locked) => this.early.setFor(locked, lastsSeconds, tx),
      'deliveries',
    );
    await pause(this.firstMs, signal);
    while (!signal.aborted && performance.now() < endsAt) {
      const { feeds, fetched } = await this.progress.fetchProgress(reader.id, afterFeedId);
      if ((await this.delivery.deliverEarly(reader)) && fetched === feeds) {
        return;
      }
      await pause(this.everyMs, signal);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }
}

/** Ends early when the process stops. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {});
}
