import { Subject } from '../../../common/subjects/subject.js';
import { FetchHistoryModule } from '../history/history.module.js';
import { ArticleRetentionRepository } from './article-retention.repository.js';
import { ArticlesRepository } from './articles.repository.js';

/** Articles of sources, and how long they are kept. */
@Subject({
  imports: [FetchHistoryModule],
  providers: [ArticleRetentionRepository, ArticlesRepository],
  exports: [ArticleRetentionRepository, ArticlesRepository],
})
export class ArticlesModule {}
