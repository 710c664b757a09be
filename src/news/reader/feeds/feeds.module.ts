import { Subject } from '../../../common/subjects/subject.js';
import { FeedAccessModule } from '../../sources/access/access.module.js';
import { ArticlesModule } from '../../sources/articles/articles.module.js';
import { FaviconsModule } from '../../sources/favicons/favicons.module.js';
import { SourceFindingModule } from '../../sources/finding/finding.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { FoldersModule } from '../folders/folders.module.js';
import { ItemsModule } from '../items/items.module.js';
import { FaviconV13Controller } from './favicon.v1-3.controller.js';
import { FeedSettingsRepository } from './feed-settings.repository.js';
import { FeedSettingsService } from './feed-settings.service.js';
import { registerFeedCommands } from './feeds.commands.js';
import { FeedsController } from './feeds.controller.js';
import { FeedsService } from './feeds.service.js';
import { FollowersRepository } from './followers.repository.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';

/** Subscriptions of users to feeds, with their settings. */
@Subject({
  imports: [
    ArticlesModule,
    DeliveryModule,
    FaviconsModule,
    FeedAccessModule,
    FoldersModule,
    ItemsModule,
    SourceFindingModule,
  ],
  controllers: [FeedsController, FaviconV13Controller],
  providers: [
    FeedsService,
    FeedSettingsRepository,
    FeedSettingsService,
    FollowersRepository,
    SubscriptionsRepository,
  ],
  exports: [FeedSettingsService, FeedsService, FollowersRepository, SubscriptionsRepository],
  commands: [registerFeedCommands],
})
export class FeedsModule {}
