import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ArticleSearchEntity, ArticleTokensEntity } from './article-tokens.entity.js';
import { SearchController } from './search.controller.js';
import { SearchRepository } from './search.repository.js';
import { SearchService } from './search.service.js';

/** Full-text search in the items of a user. */
@Subject({
  imports: [DeliveryModule],
  controllers: [SearchController],
  providers: [SearchService, SearchRepository],
  exports: [SearchService],
  entities: [ArticleSearchEntity, ArticleTokensEntity],
})
export class NewsSearchModule {}
