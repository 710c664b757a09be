import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
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
  constructor(private readonly database: Database) {}

  /** All feeds of a user. */
  async feedPlaces(userId: string): Promise<FeedPlace[]> {
    return listFeedPlaces(this.database, userId);
  }

  async feedIdsInFolder(userId: string, name: string): Promise<number[]> {
    return listFeedIdsInFolder(this.database, userId, name);
  }

  /** @returns null for an unknown name */
  async folderId(userId: string, name: string): Promise<number | null> {
    return (await findFolderId(this.database, userId, name)) ?? null;
  }

  /** @returns null for an unknown name */
  async labelId(userId: string, name: string): Promise<number | null> {
    return (await findLabelId(this.database, userId, name)) ?? null;
  }
}
