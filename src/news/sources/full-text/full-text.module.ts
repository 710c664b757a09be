import { Subject } from '../../../common/subjects/subject.js';
import { UpdateScheduleModule } from '../schedule/schedule.module.js';
import { ArticleReadingPool, ArticleFetcher } from './fetch-article.service.js';
import { FullTextRepository } from './full-text.repository.js';
import { FullTextService } from './full-text.service.js';

@Subject({
  imports: [UpdateScheduleModule],
  providers: [
    ArticleFetcher,
    { provide: ArticleReadingPool, useFactory: () => new ArticleReadingPool() },
    FullTextService,
    FullTextRepository,
  ],
  exports: [FullTextRepository, FullTextService],
})
export class FullTextModule {}
