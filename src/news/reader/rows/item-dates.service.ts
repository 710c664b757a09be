import { Injectable } from '@nestjs/common';
import { ItemDatesRepository } from '../delivery/item-dates.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';

/** Items per transaction: other changes of the user wait for it. */
const ITEMS_PER_BATCH = 5000;

/** Dates items that were delivered before items had dates: once after an upgrade. */
@Injectable()
export class ItemDatesService {
  /** By user. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(
    private readonly readers: ReadersRepository,
    private readonly dates: ItemDatesRepository,
  ) {}

  /** Dates the items of one user after the other. Safe to run twice at the same time. */
  async dateAll(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const userId = await this.dates.userToDate();
      if (userId === null || signal?.aborted === true) {
        return;
      }
      await this.dateItemsOf(userId, signal);
    }
  }

  /** Lists of one user that are opened meanwhile wait for the same work. */
  async dateItemsOf(userId: string, signal?: AbortSignal): Promise<void> {
    const running = this.#running.get(userId);
    if (running !== undefined) {
      return running;
    }
    const started = this.#date(userId, signal).finally(() => this.#running.delete(userId));
    this.#running.set(userId, started);
    return started;
  }

  async #date(userId: string, signal?: AbortSignal): Promise<void> {
    for (let afterId: number | null = 0; afterId !== null;) {
      if (signal?.aborted === true) {
        return;
      }
      const after: number = afterId;
      afterId = await this.readers.change(
        userId,
        (tx, reader) => this.dates.dateItems(tx, reader, after, ITEMS_PER_BATCH),
        'upkeep',
      );
    }
  }
}
