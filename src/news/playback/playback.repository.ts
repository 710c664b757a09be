import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
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
  constructor(private readonly database: Database) {}

  /** Latest first. */
  async list(userId: string): Promise<PlaybackPosition[]> {
    return listPositions(this.database, userId);
  }

  /** @returns the position that is known now; null without such an item of the user */
  async keep(userId: string, heard: HeardPosition, most: number): Promise<PlaybackPosition | null> {
    return (await keepPosition(this.database, userId, heard, most)) ?? null;
  }
}
