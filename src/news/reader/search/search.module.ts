import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ItemsModule } from '../items/items.module.js';
import { ArticleSearchEntity, ArticleTokensEntity } from './article-tokens.entity.js';
import { ItemsByAddress } from './items-by-address.service.js';
import { SearchLanguageController } from './language.v1-3.controller.js';
import { SavedSearchesRepository } from './saved-searches.repository.js';
import { SavedSearchesService } from './saved-searches.service.js';
import { SavedSearchesController } from './saved-searches.v1-3.controller.js';
import { SearchIndexRepository } from './search-index.repository.js';
import { SearchIndex } from './search-index.service.js';
import { SearchUsersOffer } from './search-users.offer.js';
import { SearchController } from './search.controller.js';
import { SearchRepository } from './search.repository.js';
import { SearchService } from './search.service.js';

/** Search in the items of a user, and searches that are kept. */
@Subject({
  imports: [DeliveryModule, ItemsModule],
  controllers: [SearchLanguageController, SearchController, SavedSearchesController],
  providers: [
    ItemsByAddress,
    SearchService,
    SearchRepository,
    SearchIndex,
    SearchIndexRepository,
    SavedSearchesService,
    SavedSearchesRepository,
    SearchUsersOffer,
  ],
  exports: [
    ItemsByAddress,
    SavedSearchesRepository,
    SavedSearchesService,
    SearchIndex,
    SearchIndexRepository,
    SearchService,
    SearchUsersOffer,
  ],
  entities: [ArticleSearchEntity, ArticleTokensEntity],
})
export class NewsSearchModule {}
