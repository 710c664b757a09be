import { Injectable } from '@nestjs/common';
import { AccountHoldsOffer } from '../../common/ports/account-holds.js';
import type { SqlRunner } from '../../database/database.js';
import { NewsSettings } from '../news.settings.js';
import { ReaderClientsRepository } from '../reader/delivery/reader-clients.repository.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { ItemsRepository } from '../reader/items/items.repository.js';
import { inBatches, ROWS_PER_BATCH } from './in-batches.js';

const DAY_MICROS = 86_400_000_000;

export interface CleanUpLimits {
  /**
   * Which recently changed items are kept, so that clients learn of the change: all of the last days
   * (`GATEFOLD_READ_ITEMS_GRACE_DAYS`), changes that some client of the user has not synchronised yet, or
   * none. Default `until-known`.
   */
  readonly grace?: 'days' | 'until-known' | 'none';
  /** Read items to keep per feed; 0 keeps all. Default is the setting. */
  readonly keepReadItems?: number;
}

/** Removes deleted feeds and old read items of readers whose accounts are not held. */
@Injectable()
export class ReaderRetention {
  constructor(
    private readonly settings: NewsSettings,
    private readonly readers: ReadersRepository,
    private readonly items: ItemsRepository,
    private readonly clients: ReaderClientsRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly holds: AccountHoldsOffer,
  ) {}

  /**
   * Purges folders and feeds that users deleted with the option to undo, except those of held
   * accounts.
   *
   * @param graceSeconds keeps those deleted less long ago
   */
  async purgeDeleted(graceSeconds: number): Promise<void> {
    for (const reader of await this.#notHeld(
      await this.subscriptions.readersWithDeleted(graceSeconds),
    )) {
      await this.readers.change(
        reader,
        (tx, reader) => this.subscriptions.purgeDeleted(reader.id, graceSeconds, tx),
        'upkeep',
      );
    }
  }

  /** Removes old read items that are not starred, except those of held accounts. */
  async removeOldRead({
    grace = 'until-known',
    keepReadItems = this.settings.keepReadItems,
  }: CleanUpLimits): Promise<void> {
    if (keepReadItems === 0) {
      return;
    }
    for (const reader of await this.#notHeld(await this.items.readersWithOldRead(keepReadItems))) {
      await inBatches(() =>
        this.readers.change(
          reader,
          async (tx, reader) => {
            const before = await this.#changedBefore(reader, grace, tx);
            return this.items.removeOldRead(reader, keepReadItems, before, ROWS_PER_BATCH, tx);
          },
          'upkeep',
        ),
      );
    }
  }

  /** @returns unix microseconds; items that changed at this time or later are kept */
  async #changedBefore(
    reader: LockedReader,
    grace: NonNullable<CleanUpLimits['grace']>,
    tx: SqlRunner,
  ): Promise<number> {
    const now = reader.stampMicros + 1;
    const { readItemsGraceDays: days } = this.settings;
    if (grace === 'none' || days === 0) {
      return now;
    }
    const daysAgo = now - days * DAY_MICROS;
    if (grace === 'days') {
      return daysAgo;
    }
    const known = await this.clients.knownToAll(reader.id, days, tx);
    return known === null ? now : Math.max(daysAgo, known + 1);
  }

  async #notHeld(readers: readonly Reader[]): Promise<Reader[]> {
    const held = new Set(await this.holds.required.heldUserIds());
    return readers.filter(({ userId }) => !held.has(userId));
  }
}
