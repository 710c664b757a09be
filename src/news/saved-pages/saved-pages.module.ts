import { offered, Subject } from '../../common/subjects/subject.js';
import { AddedItemsModule } from '../adding/adding.module.js';
import { PageKeeperOffer } from '../adding/page-keeper.offer.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { ItemsModule } from '../reader/items/items.module.js';
import { RulesModule } from '../reader/rules/rules.module.js';
import { NewsSearchModule } from '../reader/search/search.module.js';
import { FullTextModule } from '../sources/full-text/full-text.module.js';
import { SavedPagesRepository } from './saved-pages.repository.js';
import { SavedPagesService } from './saved-pages.service.js';

/** Web pages that users and apps keep by their address alone. */
@Subject({
  imports: [
    AddedItemsModule,
    DeliveryModule,
    FullTextModule,
    ItemsModule,
    NewsSearchModule,
    RulesModule,
  ],
  providers: [SavedPagesRepository, SavedPagesService, offered(PageKeeperOffer, SavedPagesService)],
})
export class SavedPagesModule {}
