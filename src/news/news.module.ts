import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { PersonalData } from '../common/ports/personal-data.js';
import { FeedsController } from './api/feeds.controller.js';
import { FoldersController } from './api/folders.controller.js';
import { ItemsController } from './api/items.controller.js';
import { LevelsController } from './api/levels.controller.js';
import { ServiceController } from './api/service.controller.js';
import { UpdaterController } from './api/updater.controller.js';
import { ItemsByGuidV12Controller } from './api/v1-2/items-by-guid.v1-2.controller.js';
import { ItemsV12Controller } from './api/v1-2/items.v1-2.controller.js';
import { FaviconV13Controller } from './api/v1-3/favicon.v1-3.controller.js';
import { ItemsV13Controller } from './api/v1-3/items.v1-3.controller.js';
import { DeliveryService } from './delivery.service.js';
import { FaviconsService } from './favicons.service.js';
import { FeedsService } from './feeds.service.js';
import { FetchModule } from './fetch/fetch.module.js';
import { FoldersService } from './folders.service.js';
import { ItemsService } from './items.service.js';
import { SourceFinder } from './source-finder.js';
import { SourceRefresher } from './source-refresher.js';
import { ArticlesRepository } from './store/articles.repository.js';
import { DeliveriesRepository } from './store/deliveries.repository.js';
import { FoldersRepository } from './store/folders.repository.js';
import { ItemsRepository } from './store/items.repository.js';
import { ReaderLocks } from './store/reader-locks.js';
import { ReadersRepository } from './store/readers.repository.js';
import { ScheduleRepository } from './store/schedule.repository.js';
import { SourcesRepository } from './store/sources.repository.js';
import { SubscriptionsRepository } from './store/subscriptions.repository.js';
import { UpdaterSchedule } from './updater.schedule.js';
import { UpdaterService } from './updater.service.js';

/** The feed reader: folders, feeds and items per user, and the fetching behind them. */
@Module({
  imports: [ScheduleModule.forRoot(), FetchModule],
  controllers: [
    LevelsController,
    FoldersController,
    // Before feeds and items, whose routes with an id would take in the updater's fixed names.
    UpdaterController,
    ServiceController,
    FeedsController,
    ItemsController,
    ItemsV12Controller,
    ItemsV13Controller,
    FaviconV13Controller,
    // Takes in whatever the routes of items left over, hence last.
    ItemsByGuidV12Controller,
  ],
  providers: [
    FoldersService,
    FeedsService,
    ItemsService,
    DeliveryService,
    FaviconsService,
    SourceFinder,
    SourceRefresher,
    UpdaterService,
    UpdaterSchedule,
    ArticlesRepository,
    DeliveriesRepository,
    FoldersRepository,
    ItemsRepository,
    ReaderLocks,
    ReadersRepository,
    ScheduleRepository,
    SourcesRepository,
    SubscriptionsRepository,
  ],
})
export class NewsModule {
  constructor(personalData: PersonalData, readers: ReadersRepository) {
    personalData.onErase((userId) => readers.remove(userId));
  }
}
