import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { ReaderIds } from '../../reader/delivery/reader-ids.repository.js';
import {
  findFolderId,
  findLabelId,
  listFeedIdsInFolder,
  listFeedPlaces,
  type FeedPlace,
} from './stream-sets.sql.js';

export type { FeedPlace } from './stream-sets.sql.js';

/** What the names of streams refer to. Reads only, and delivers nothing. */
@Injectable()
export class StreamSetsRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /** All feeds of a user. */
  async feedPlaces(userId: string): Promise<FeedPlace[]> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? [] : listFeedPlaces(this.database, readerId);
  }

  async feedIdsInFolder(userId: string, name: string): Promise<number[]> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? [] : listFeedIdsInFolder(this.database, readerId, name);
  }

  /** @returns null for an unknown name */
  async folderId(userId: string, name: string): Promise<number | null> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? null : ((await findFolderId(this.database, readerId, name)) ?? null);
  }

  /** @returns null for an unknown name */
  async labelId(userId: string, name: string): Promise<number | null> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? null : ((await findLabelId(this.database, readerId, name)) ?? null);
  }
}
