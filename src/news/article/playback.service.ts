import { Injectable } from '@nestjs/common';
import { ItemNotFound } from '../news.errors.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import {
  PlaybackRepository,
  type HeardPosition,
  type PlaybackPosition,
} from './playback.repository.js';

/** Limit per user; the oldest are dropped. */
export const MOST_POSITIONS = 500;

/** Users' positions in recordings, shared by their devices. */
@Injectable()
export class PlaybackService {
  constructor(private readonly positions: PlaybackRepository) {}

  /** Latest first. */
  async list(reader: Reader): Promise<PlaybackPosition[]> {
    return this.positions.list(reader.id);
  }

  /**
   * Keeps a position, unless a device has reported one that was reached later.
   *
   * @returns the position that is known now
   * @throws ItemNotFound unless the item is this user's
   */
  async keep(reader: Reader, heard: HeardPosition): Promise<PlaybackPosition> {
    return ItemNotFound.unless(
      await this.positions.keep(reader.id, heard, MOST_POSITIONS),
      heard.itemId,
    );
  }
}
