import { MergedItemUsersOffer } from '../../common/ports/merged-items.js';
import { offered, Subject } from '../../common/subjects/subject.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { ItemsModule } from '../reader/items/items.module.js';
import { NewsSearchModule } from '../reader/search/search.module.js';
import { StreamsModule } from '../reader/streams/streams.module.js';
import { FeedOutEntity } from './feed-out.entity.js';
import { FeedsOutRepository } from './feeds-out.repository.js';
import { FeedsOutService } from './feeds-out.service.js';
import { FeedsOutV13Controller } from './feeds-out.v1-3.controller.js';
import { ListContentsRepository } from './list-contents.repository.js';
import { ListContents } from './list-contents.service.js';
import { ListFinder } from './list-finder.service.js';
import { ListReading } from './list-reading.service.js';
import { ListTokens } from './list-tokens.service.js';
import { PublishedListsController } from './published-lists.controller.js';

/** Lists and articles that users publish under a secret address: as Atom, as JSON Feed, and as a page. */
@Subject({
  imports: [DeliveryModule, ItemsModule, NewsSearchModule, StreamsModule],
  controllers: [FeedsOutV13Controller, PublishedListsController],
  providers: [
    FeedsOutRepository,
    FeedsOutService,
    ListContents,
    ListContentsRepository,
    ListFinder,
    ListReading,
    ListTokens,
    offered(MergedItemUsersOffer, FeedsOutRepository),
  ],
  entities: [FeedOutEntity],
  edgeRules: [
    // Answers are compressed, and pages of other origins may read what whoever has the address may read.
    { path: /^\/apps\/news\/out\//i, crossOrigin: true },
  ],
})
export class FeedsOutModule {}
