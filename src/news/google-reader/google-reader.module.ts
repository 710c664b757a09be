import { Module } from '@nestjs/common';
import { NewsModule } from '../news.module.js';
import { AtomController } from './atom/atom.controller.js';
import { UnreadCountsController } from './counts/unread-counts.controller.js';
import { UnreadCountsService } from './counts/unread-counts.service.js';
import { FeedIcons } from './icons/feed-icons.service.js';
import { FeedIconsController } from './icons/icons.controller.js';
import { GoogleItemsController } from './items/items.controller.js';
import { CompatibilityController } from './other-routes/compatibility.controller.js';
import { OtherRoutesController } from './other-routes/other-routes.controller.js';
import { AccountController } from './log-in/account.controller.js';
import { LogInController } from './log-in/log-in.controller.js';
import { StreamSetsRepository } from './streams/stream-sets.repository.js';
import { StreamSetsService } from './streams/stream-sets.service.js';
import { StreamsController } from './streams/streams.controller.js';
import { GoogleOpmlController } from './subscriptions/opml.controller.js';
import { GoogleSubscriptionsController } from './subscriptions/subscriptions.controller.js';
import { GoogleSubscriptionsService } from './subscriptions/subscriptions.service.js';
import { FolderNames } from './tags/folder-names.service.js';
import { TagsController } from './tags/tags.controller.js';
import { TagsService } from './tags/tags.service.js';

/**
 * The Google Reader API, for clients that do not know Nextcloud's.
 *
 * @see docs/google-reader-api.md
 */
@Module({
  imports: [NewsModule],
  controllers: [
    LogInController,
    AccountController,
    StreamsController,
    AtomController,
    GoogleItemsController,
    GoogleSubscriptionsController,
    GoogleOpmlController,
    TagsController,
    UnreadCountsController,
    FeedIconsController,
    CompatibilityController,
    // Its last route matches the paths of all others.
    OtherRoutesController,
  ],
  providers: [
    StreamSetsRepository,
    StreamSetsService,
    GoogleSubscriptionsService,
    FolderNames,
    TagsService,
    UnreadCountsService,
    FeedIcons,
  ],
})
export class GoogleReaderModule {}
