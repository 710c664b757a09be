import { Injectable } from '@nestjs/common';
import { DeliveryService } from '../delivery/delivery.service.js';
import { ItemDatesRepository } from '../delivery/item-dates.repository.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { NO_READER } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import type { ItemSelection } from '../items/item-list.sql.js';
import { RowsRepository, type ChangedRow, type ListRest } from './rows.repository.js';
import type { ListedRow, RowPage } from './rows.sql.js';

/** Items per transaction: other changes of the user wait for it. */
const ITEMS_PER_SET = 5000;

/** Above this number of changes, reloading the list is cheaper. */
const MOST_CHANGES = 1000;

/** A page of a list by date. */
export interface RowsPage {
  readonly rows: readonly ListedRow[];
  /** Whether the page has as many rows as it may. */
  readonly isFull: boolean;
  /** The user's newest item; null on later pages. */
  readonly newestItemId: number | null;
  /** Changes with later stamps may be missing; unix microseconds. Null on later pages. */
  readonly changesKnownMicros: number | null;
  /** Whether tasks start by themselves for new items; false on later pages. */
  readonly isAutomated: boolean;
  /** Items of the list that rules hide, at most 1000; 0 on later pages. */
  readonly hiddenCount: number;
}

export interface ChangedRows {
  readonly rows: readonly ChangedRow[];
  /** False: there were too many. */
  readonly isComplete: boolean;
  readonly changesKnownMicros: number;
}

/** Items whose flags changed. */
export interface MarkedItems {
  readonly marked: number;
  /** The stamps of the sets, for `undo`. */
  readonly stampsMicros: readonly number[];
}

/**
 * Lists by date for the pages, without bodies.
 *
 * @see docs/decisions/0037-lists-by-date.md
 */
@Injectable()
export class RowsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly delivery: DeliveryService,
    private readonly dates: ItemDatesRepository,
    private readonly rows: RowsRepository,
  ) {}

  /** A page of rows. The first page delivers first. */
  async list(reader: Reader, selection: ItemSelection, page: RowPage): Promise<RowsPage> {
    const isFirst = page.after === null;
    const position = isFirst
      ? await this.delivery.deliverTo(reader)
      : await this.readers.positionOf(reader);
    const beginning = isFirst ? await this.rows.beginning(position.id, selection) : null;
    if (beginning?.itemsDated === false) {
      await this.dates.dateItemsOf(reader);
    }
    const rows = await this.rows.list(position.id, selection, page);
    return {
      rows,
      isFull: rows.length === page.limit,
      newestItemId: beginning?.newestItemId ?? null,
      changesKnownMicros: beginning === null ? null : position.lastModifiedMicros,
      isAutomated: beginning?.isAutomated ?? false,
      hiddenCount: beginning?.hiddenCount ?? 0,
    };
  }

  /** Items that arrived or changed after a page or call that knew of earlier changes. Delivers first. */
  async changedSince(reader: Reader, sinceMicros: number): Promise<ChangedRows> {
    const position = await this.delivery.deliverTo(reader);
    const changesKnownMicros = position.lastModifiedMicros;
    if (sinceMicros >= changesKnownMicros) {
      return { rows: [], isComplete: true, changesKnownMicros };
    }
    const rows = await this.rows.changedSince(position.id, sinceMicros, MOST_CHANGES + 1);
    const isComplete = rows.length <= MOST_CHANGES;
    return { rows: isComplete ? rows : [], isComplete, changesKnownMicros };
  }

  /** Marks a list, or its rest after a place, read. In batches: a failure leaves earlier ones marked. */
  async markRead(reader: Reader, rest: ListRest): Promise<MarkedItems> {
    const stampsMicros: number[] = [];
    let marked = 0;
    if (reader.id === NO_READER) {
      return { marked, stampsMicros };
    }
    for (let afterId: number | null = 0; afterId !== null;) {
      const after: number = afterId;
      afterId = await this.readers.change(reader, async (tx, reader) => {
        const set = await this.rows.markRead(reader, rest, after, ITEMS_PER_SET, tx);
        if (set === null) {
          return null;
        }
        marked += set.marked;
        stampsMicros.push(reader.stampMicros);
        return set.marked < ITEMS_PER_SET ? null : set.lastId;
      });
    }
    return { marked, stampsMicros };
  }

  /** Marks the items unread again that `markRead` marked and nothing has changed since. */
  async undo(reader: Reader, markedMicros: readonly number[]): Promise<MarkedItems> {
    const stampsMicros: number[] = [];
    let marked = 0;
    if (reader.id === NO_READER) {
      return { marked, stampsMicros };
    }
    for (let set = ITEMS_PER_SET; set === ITEMS_PER_SET;) {
      set = await this.readers.change(reader, async (tx, reader) => {
        stampsMicros.push(reader.stampMicros);
        return this.rows.markUnread(reader, markedMicros, ITEMS_PER_SET, tx);
      });
      marked += set;
    }
    return { marked, stampsMicros };
  }
}
