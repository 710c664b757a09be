import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { ArticleFetcher } from '../../full-text/fetch-article.js';
import { FeedFetcher } from './fetch-feed.js';
import { RecordingFetcher } from '../../assistance/fetch-recording.js';
import { IconFinder } from '../../favicons/find-icon.js';
import { ArticleReadingPool } from '../../full-text/article-reading-pool.js';
import { FeedReadingPool } from '../../feed-parser/pool/feed-reading-pool.js';

/** Going out for feeds and articles: addresses in, read documents out. Knows no database. */
@Module({
  providers: [
    FeedFetcher,
    IconFinder,
    ArticleFetcher,
    RecordingFetcher,
    { provide: FeedReadingPool, useFactory: () => new FeedReadingPool() },
    { provide: ArticleReadingPool, useFactory: () => new ArticleReadingPool() },
  ],
  exports: [FeedFetcher, IconFinder, ArticleFetcher, RecordingFetcher],
})
export class FetchModule implements OnApplicationShutdown {
  constructor(
    private readonly feeds: FeedReadingPool,
    private readonly articles: ArticleReadingPool,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.feeds.close(), this.articles.close()]);
  }
}
