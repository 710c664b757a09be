import { Subject } from '../../common/subjects/subject.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { RulesModule } from '../reader/rules/rules.module.js';
import { NewsSearchModule } from '../reader/search/search.module.js';
import { ReaderStoriesRepository } from '../reader/stories/reader-stories.repository.js';
import { FeedMergesRepository } from './feed-merges.repository.js';
import { FeedMergingService } from './feed-merging.service.js';
import { FeedMergingV13Controller } from './feed-merging.v1-3.controller.js';
import { MergedItemsRepository } from './merged-items.repository.js';

/** Makes one feed of two that became the same, since a publisher moved. */
@Subject({
  imports: [DeliveryModule, FeedsModule, RulesModule, NewsSearchModule],
  controllers: [FeedMergingV13Controller],
  providers: [
    FeedMergesRepository,
    FeedMergingService,
    MergedItemsRepository,
    ReaderStoriesRepository,
  ],
})
export class FeedMergingModule {}
