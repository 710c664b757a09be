import { Injectable } from '@nestjs/common';
import { FeedNotFound } from '../news.errors.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { FeedDoctor, type SourceReport } from './feed-doctor.service.js';

/** The state of a user's own feed, as the feed doctor reports it. */
@Injectable()
export class FeedStatusService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly doctor: FeedDoctor,
  ) {}

  /** @throws FeedNotFound */
  async of(userId: string, feedId: number): Promise<SourceReport> {
    const sourceId = await this.subscriptions.sourceOf(await this.readers.idOf(userId), feedId);
    if (sourceId === null) {
      throw new FeedNotFound(feedId);
    }
    return this.doctor.examineSource(sourceId);
  }
}
