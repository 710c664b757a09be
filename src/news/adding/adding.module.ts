import { Subject } from '../../common/subjects/subject.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { ArticlesModule } from '../sources/articles/articles.module.js';
import { FeedFetchModule } from '../sources/fetch/fetch.module.js';
import { SourceFindingModule } from '../sources/finding/finding.module.js';
import { AddedItemsService } from './added-items.service.js';
import { AddedItemsV13Controller } from './added-items.v1-3.controller.js';
import { FeedPreviewService } from './feed-preview.service.js';
import { GivenFeedsRepository } from './given-feeds.repository.js';
import { PageKeeperOffer } from './page-keeper.offer.js';
import { PreviewV13Controller } from './preview.v1-3.controller.js';

/** Items that users and apps add themselves, and previews of feeds. */
@Subject({
  imports: [ArticlesModule, DeliveryModule, FeedFetchModule, FeedsModule, SourceFindingModule],
  controllers: [PreviewV13Controller, AddedItemsV13Controller],
  providers: [AddedItemsService, GivenFeedsRepository, FeedPreviewService, PageKeeperOffer],
  exports: [AddedItemsService, GivenFeedsRepository, PageKeeperOffer],
})
export class AddedItemsModule {}
