import { Subject } from '../../../common/subjects/subject.js';
import { ThrottleModule } from '../../../platform/sign-in/throttle/throttle.module.js';
import { UpdateScheduleModule } from '../schedule/schedule.module.js';
import { ArticleReadingPool, ArticleFetcher } from './fetch-article.service.js';
import { FullTextRepository } from './full-text.repository.js';
import { FullTextService } from './full-text.service.js';
import { PageReadings } from './page-readings.service.js';

@Subject({
  imports: [ThrottleModule, UpdateScheduleModule],
  providers: [
    ArticleFetcher,
    { provide: ArticleReadingPool, useFactory: () => new ArticleReadingPool() },
    FullTextService,
    FullTextRepository,
    PageReadings,
  ],
  exports: [FullTextRepository, FullTextService, PageReadings],
})
export class FullTextModule {}
