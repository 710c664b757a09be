import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { FeedFetcher } from './fetch-feed.js';
import { IconFinder } from './find-icon.js';
import { FeedReadingPool } from './read/feed-reading-pool.js';

/** Going out for feeds: addresses in, read documents out. Knows no database. */
@Module({
  providers: [
    FeedFetcher,
    IconFinder,
    { provide: FeedReadingPool, useFactory: () => new FeedReadingPool() },
  ],
  exports: [FeedFetcher, IconFinder],
})
export class FetchModule implements OnApplicationShutdown {
  constructor(private readonly pool: FeedReadingPool) {}

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }
}
