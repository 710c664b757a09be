import { Subject } from '../../common/subjects/subject.js';
import { CredentialsModule } from '../../platform/sign-in/credentials/credentials.module.js';
import { OpmlModule } from '../opml/opml.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { FoldersModule } from '../reader/folders/folders.module.js';
import { ItemsModule } from '../reader/items/items.module.js';
import { LabelsModule } from '../reader/labels/labels.module.js';
import { NewsSearchModule } from '../reader/search/search.module.js';
import { StreamsModule } from '../reader/streams/streams.module.js';
import { FaviconsModule } from '../sources/favicons/favicons.module.js';
import { FeedIcons } from './icons/feed-icons.service.js';
import { FeedIconsController } from './icons/icons.controller.js';
import { GoogleItemsController } from './items/items.controller.js';
import { LogInController } from './log-in/log-in.controller.js';
import {
  CompatibilityController,
  OtherRoutesController,
} from './other-routes/other-routes.controller.js';
import { AtomController } from './streams/atom.controller.js';
import { StreamSetsRepository } from './streams/stream-sets.repository.js';
import { StreamSetsService } from './streams/stream-sets.service.js';
import { StreamsController } from './streams/streams.controller.js';
import { GoogleSubscriptionsController } from './subscriptions/subscriptions.controller.js';
import { GoogleSubscriptionsService } from './subscriptions/subscriptions.service.js';
import { TagsController } from './tags/tags.controller.js';
import { TagsService } from './tags/tags.service.js';
import { UnreadCountsService } from './tags/unread-counts.service.js';

/**
 * The Google Reader API, for clients that do not know Nextcloud's.
 *
 * @see docs/google-reader-api.md
 */
@Subject({
  imports: [
    CredentialsModule,
    DeliveryModule,
    FaviconsModule,
    FeedsModule,
    FoldersModule,
    ItemsModule,
    LabelsModule,
    NewsSearchModule,
    OpmlModule,
    StreamsModule,
  ],
  controllers: [
    LogInController,
    StreamsController,
    AtomController,
    GoogleItemsController,
    GoogleSubscriptionsController,
    TagsController,
    FeedIconsController,
    CompatibilityController,
    OtherRoutesController,
  ],
  providers: [
    StreamSetsRepository,
    StreamSetsService,
    GoogleSubscriptionsService,
    TagsService,
    UnreadCountsService,
    FeedIcons,
  ],
  edgeRules: [
    // At the root and at FreshRSS's path. Forms repeat names thousands of times, and some have no type.
    {
      path: /^\/(?:api\/greader\.php(?:\/|$)|reader\/(?:api\/0|atom|icons)(?:\/|$)|accounts\/ClientLogin(?:\/|$))/i,
      crossOrigin: true,
      rawBody: true,
    },
  ],
})
export class GoogleReaderModule {}
