import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ReaderIds } from '../reader/delivery/reader-ids.repository.js';
import {
  keepPosition,
  listPositions,
  type HeardPosition,
  type PlaybackPosition,
} from './playback.sql.js';

export type { HeardPosition, PlaybackPosition } from './playback.sql.js';

/** How far users have listened to recordings. Deleted with the reader. */
@Injectable()
export class PlaybackRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /** Latest first. */
  async list(userId: string): Promise<PlaybackPosition[]> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? [] : listPositions(this.database, readerId);
  }

  /** @returns the position that is known now; null without such an item of the user */
  async keep(userId: string, heard: HeardPosition, most: number): Promise<PlaybackPosition | null> {
    const readerId = await this.ids.of(userId);
    return readerId === null
      ? null
      : ((await keepPosition(this.database, readerId, heard, most)) ?? null);
  }
}
