import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ReaderIds } from '../reader/delivery/reader-ids.repository.js';
import {
  latestFetchSeconds,
  listFeeds,
  listIcons,
  readIcons,
  type FeverFeed,
  type FeverIcon,
} from './fever.sql.js';

export type { FeverFeed, FeverIcon };

const KIB = 1024;

/** Larger ones are pictures of websites that have no icon; clients would keep all of them. */
const LARGEST_ICON_BYTES = 64 * KIB;
const MOST_BYTES_OF_ICONS = 16 * KIB * KIB;
/** Read at once. */
const BATCH_BYTES = KIB * KIB;

/** Feeds and icons as this API shows them. */
@Injectable()
export class FeverRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /** By title. */
  async feeds(userId: string): Promise<FeverFeed[]> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? [] : listFeeds(this.database, readerId);
  }

  /** Unix seconds; 0 without feeds. */
  async latestFetchSeconds(userId: string): Promise<number> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? 0 : latestFetchSeconds(this.database, readerId);
  }

  /** Ids of the icons that are shown: 16 MiB altogether. */
  async iconIds(userId: string): Promise<Set<number>> {
    return new Set((await this.#iconBatches(userId)).flat());
  }

  /** The same icons, in batches of about 1 MiB. */
  async *icons(userId: string): AsyncGenerator<FeverIcon[], void, undefined> {
    for (const ids of await this.#iconBatches(userId)) {
      yield await readIcons(this.database, ids);
    }
  }

  async #iconBatches(userId: string): Promise<number[][]> {
    const batches: number[][] = [];
    let [total, ofBatch] = [0, BATCH_BYTES];
    const readerId = await this.ids.of(userId);
    if (readerId === null) {
      return [];
    }
    for (const { id, bytes } of await listIcons(this.database, readerId, LARGEST_ICON_BYTES)) {
      total += bytes;
      if (total > MOST_BYTES_OF_ICONS) {
        break;
      }
      if (ofBatch >= BATCH_BYTES) {
        batches.push([]);
        ofBatch = 0;
      }
      ofBatch += bytes;
      batches.at(-1)?.push(id);
    }
    return batches;
  }
}
