import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { writeOpml } from './write-opml.js';

/** A user's feeds as a file that every other reader understands. */
@Injectable()
export class OpmlExportService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly clock: Clock,
  ) {}

  /** The text of the file, piece by piece, while the feeds are still being read. */
  async export(userId: string): Promise<AsyncGenerator<string, void, undefined>> {
    const readerId = await this.readers.idOf(userId);
    return writeOpml(this.subscriptions.export(readerId ?? 0), userId, this.clock.now());
  }
}
