import { Injectable } from '@nestjs/common';
import { KIB } from '../../common/units.js';
import { Database } from '../../database/database.js';

/** A feed as clients of this API see it. */
export interface FeverFeed {
  readonly id: number;
  /** Null is the root. */
  readonly folderId: number | null;
  /** The user's or the publisher's; may be empty. */
  readonly title: string;
  readonly url: string;
  /** The website. */
  readonly link: string | null;
  readonly iconId: number | null;
  /** Unix seconds of the latest fetch. */
  readonly fetchedSeconds: number | null;
}

export interface FeverIcon {
  readonly id: number;
  readonly mime: string;
  readonly base64: string;
}

/** Larger ones are pictures of websites that have no icon; clients would keep all of them. */
const LARGEST_ICON_BYTES = 64 * KIB;
const MOST_BYTES_OF_ICONS = 16 * KIB * KIB;
/** Size of one read. */
const BATCH_BYTES = KIB * KIB;

/** Feeds and icons as this API shows them. */
@Injectable()
export class FeverRepository {
  constructor(private readonly database: Database) {}

  /** Sorted by title; reads the reader's subscriptions. */
  async feeds(readerId: number): Promise<FeverFeed[]> {
    return this.database.query<FeverFeed>(
      `select s.id, s.folder_id as "folderId", coalesce(s.title, source.title) as title, s.url,
              source.link, source.icon_id as "iconId",
              floor(extract(epoch from source.fetched_at))::bigint as "fetchedSeconds"
         from subscription s
         join source on source.id = s.source_id
        where s.reader_id = $1 and s.deleted_at is null
        order by lower(coalesce(s.title, source.title)), s.id`,
      [readerId],
    );
  }

  /** Unix seconds of the latest fetch of one of the user's feeds; 0 without any. */
  async latestFetchSeconds(readerId: number): Promise<number> {
    const [row] = await this.database.query<{ seconds: number }>(
      `select coalesce(floor(extract(epoch from max(source.fetched_at))), 0)::bigint as seconds
         from subscription s
         join source on source.id = s.source_id
        where s.reader_id = $1 and s.deleted_at is null`,
      [readerId],
    );
    return row?.seconds ?? 0;
  }

  /** Ids of the icons that are shown, as `icons` gives them: 16 MiB altogether. */
  async iconIds(readerId: number): Promise<Set<number>> {
    return new Set((await this.#iconBatches(readerId)).flat());
  }

  /** Streams the icons in batches of about 1 MiB. */
  async *icons(readerId: number): AsyncGenerator<FeverIcon[], void, undefined> {
    for (const ids of await this.#iconBatches(readerId)) {
      yield await this.database.query<FeverIcon>(
        `select id, mime, translate(encode(bytes, 'base64'), E'\\n', '') as base64
           from icon where id = any($1::bigint[]) order by id`,
        [ids],
      );
    }
  }

  /** Ids, rising. Reads the sizes without the icons themselves. */
  async #iconBatches(readerId: number): Promise<number[][]> {
    const batches: number[][] = [];
    let [total, ofBatch] = [0, BATCH_BYTES];
    const icons = await this.database.query<{ id: number; bytes: number }>(
      `select icon.id, octet_length(icon.bytes) as bytes
         from icon
        where octet_length(icon.bytes) between 1 and $2
          and icon.id in (select source.icon_id
                            from subscription s
                            join source on source.id = s.source_id
                           where s.reader_id = $1 and s.deleted_at is null)
        order by icon.id`,
      [readerId, LARGEST_ICON_BYTES],
    );
    for (const { id, bytes } of icons) {
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
