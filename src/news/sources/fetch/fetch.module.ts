import { Subject } from '../../../common/subjects/subject.js';
import { FeedReadingPool } from '../../feed-parser/pool/reading-pool.js';
import { FeedAccessModule } from '../access/access.module.js';
import { FeedFetcher } from './fetch-feed.service.js';
import { FetchSettings } from './fetch-settings.provider.js';

/** Downloads and reads documents of feeds. */
@Subject({
  imports: [FeedAccessModule],
  providers: [
    FeedFetcher,
    { provide: FeedReadingPool, useFactory: () => new FeedReadingPool() },
    FetchSettings,
  ],
  exports: [FeedFetcher, FeedReadingPool],
})
export class FeedFetchModule {}
