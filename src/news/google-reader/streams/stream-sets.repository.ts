import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';

/** A feed as items and tags refer to it. */
export interface FeedPlace {
  readonly id: number;
  readonly url: string;
  /** The user's or the publisher's; may be empty. */
  readonly title: string;
  readonly link: string | null;
  readonly folder: string | null;
}

const FEED_PLACES = prepared(
  'google-reader-feeds',
  `select s.id, s.url, coalesce(s.title, source.title) as title, source.link, folder.name as folder
     from subscription s
     join source on source.id = s.source_id
     left join folder on folder.reader_id = $1 and folder.id = s.folder_id
    where s.reader_id = $1 and s.deleted_at is null`,
);

/** Resolves names of streams. Reads only, and delivers nothing. */
@Injectable()
export class StreamSetsRepository {
  constructor(private readonly database: Database) {}

  /** All feeds of a user. */
  async feedPlaces(readerId: number): Promise<FeedPlace[]> {
    return this.database.query<FeedPlace>(FEED_PLACES, [readerId]);
  }

  /** Feeds of the folder with this name. */
  async feedIdsInFolder(readerId: number, name: string): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      `select s.id
         from folder
         join subscription s on s.reader_id = $1 and s.folder_id = folder.id
        where folder.reader_id = $1 and folder.name = $2
          and folder.deleted_at is null and s.deleted_at is null`,
      [readerId, name],
    );
    return rows.map(({ id }) => id);
  }

  /** @returns null for an unknown name */
  async folderId(readerId: number, name: string): Promise<number | null> {
    const [row] = await this.database.query<{ id: number }>(
      `select folder.id from folder
        where folder.reader_id = $1 and folder.name = $2 and folder.deleted_at is null`,
      [readerId, name],
    );
    return row?.id ?? null;
  }

  /** @returns null for an unknown name */
  async labelId(readerId: number, name: string): Promise<number | null> {
    const [row] = await this.database.query<{ id: number }>(
      'select label.id from label where label.reader_id = $1 and label.name = $2',
      [readerId, name],
    );
    return row?.id ?? null;
  }
}
