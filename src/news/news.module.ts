import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AccountDeletionHooks } from '../common/ports/account-deletion-hooks.js';
import { RestoreHooks } from '../common/ports/restore-hooks.js';
import { SecretBox } from '../common/secrets/secret-box.js';
import { FeedSettingsController } from './api/feed-settings.controller.js';
import { DoctorController } from './api/doctor.controller.js';
import { FeedsController } from './api/feeds.controller.js';
import { FoldersController } from './api/folders.controller.js';
import { ItemsController } from './api/items.controller.js';
import { LevelsController } from './api/levels.controller.js';
import { OpmlController, OpmlOfWebInterfaceController } from './api/opml.controller.js';
import { RefreshController } from './api/refresh.controller.js';
import { SearchController } from './api/search.controller.js';
import { ServiceController } from './api/service.controller.js';
import { UpdaterController } from './api/updater.controller.js';
import { ItemsByGuidV12Controller } from './api/v1-2/items-by-guid.v1-2.controller.js';
import { ItemsV12Controller } from './api/v1-2/items.v1-2.controller.js';
import { AssistanceV13Controller } from './api/v1-3/assistance.v1-3.controller.js';
import { EventsV13Controller } from './api/v1-3/events.v1-3.controller.js';
import { FaviconV13Controller } from './api/v1-3/favicon.v1-3.controller.js';
import { FeedInsightV13Controller } from './api/v1-3/feed-insight.v1-3.controller.js';
import { FiltersV13Controller } from './api/v1-3/filters.v1-3.controller.js';
import { ItemsV13Controller } from './api/v1-3/items.v1-3.controller.js';
import { StatisticsV13Controller } from './api/v1-3/statistics.v1-3.controller.js';
import { ArticleWorkSchedule } from './article-work.schedule.js';
import { ArticleAssistant } from './assistance/article-assistant.js';
import { AssistanceService } from './assistance/assistance.service.js';
import { DeliveryService } from './delivery.service.js';
import { FeedDoctor } from './doctor/feed-doctor.service.js';
import { FaviconsService } from './favicons.service.js';
import { FeedPreviewService } from './feed-preview.service.js';
import { FeedSettingsService } from './feed-settings.service.js';
import { FeedStatusService } from './feed-status.service.js';
import { FeedsService } from './feeds.service.js';
import { FetchModule } from './fetch/fetch.module.js';
import { FiltersService } from './filters.service.js';
import { FoldersService } from './folders.service.js';
import { FullTextService } from './full-text.service.js';
import { NextcloudImportService } from './import-nextcloud/nextcloud-import.service.js';
import { ItemsService } from './items.service.js';
import { LiveUpdates } from './live/live-updates.service.js';
import { OpmlExportService } from './opml/opml-export.service.js';
import { OpmlImportService } from './opml/opml-import.service.js';
import { SourceFinder } from './source-finder.js';
import { SourceRefresher } from './source-refresher.js';
import { OutageWatch } from './outage-watch.js';
import { RefreshService } from './refresh.service.js';
import { SearchService } from './search.service.js';
import { StatisticsService } from './statistics.service.js';
import { ArticlesRepository } from './store/articles.repository.js';
import { AssistanceRepository } from './store/assistance.repository.js';
import { DeliveriesRepository } from './store/deliveries.repository.js';
import { FeedSettingsRepository } from './store/feed-settings.repository.js';
import { FetchHistoryRepository } from './store/fetch-history.repository.js';
import { FiltersRepository } from './store/filters.repository.js';
import { FoldersRepository } from './store/folders.repository.js';
import { FullTextRepository } from './store/full-text.repository.js';
import { ImportsRepository } from './store/imports.repository.js';
import { ItemsRepository } from './store/items.repository.js';
import { ReaderClientsRepository } from './store/reader-clients.repository.js';
import { ReaderLocks } from './store/reader-locks.js';
import { ReadersRepository } from './store/readers.repository.js';
import { RefreshesRepository } from './store/refreshes.repository.js';
import { ScheduleRepository } from './store/schedule.repository.js';
import { SearchRepository } from './store/search.repository.js';
import { SourceListsRepository } from './store/source-lists.repository.js';
import { SourcesRepository } from './store/sources.repository.js';
import { SubscriptionsRepository } from './store/subscriptions.repository.js';
import { WebSubRepository } from './store/websub.repository.js';
import { UpdaterSchedule } from './updater.schedule.js';
import { UpdaterService } from './updater.service.js';
import { WebSubController } from './websub/websub.controller.js';
import { WebSubService } from './websub/websub.service.js';

/** The feed reader: folders, feeds and items per user, and the fetching behind them. */
@Module({
  imports: [ScheduleModule.forRoot(), FetchModule],
  controllers: [
    LevelsController,
    FoldersController,
    // Before feeds and items, whose routes with an id would take in the updater's fixed names.
    UpdaterController,
    DoctorController,
    StatisticsV13Controller,
    ServiceController,
    RefreshController,
    FeedsController,
    FeedSettingsController,
    FeedInsightV13Controller,
    SearchController,
    ItemsController,
    ItemsV12Controller,
    ItemsV13Controller,
    FaviconV13Controller,
    EventsV13Controller,
    AssistanceV13Controller,
    FiltersV13Controller,
    WebSubController,
    OpmlController,
    OpmlOfWebInterfaceController,
    // Takes in whatever the routes of items left over, hence last.
    ItemsByGuidV12Controller,
  ],
  providers: [
    FoldersService,
    FeedsService,
    ItemsService,
    DeliveryService,
    LiveUpdates,
    ArticleAssistant,
    AssistanceService,
    FaviconsService,
    FeedPreviewService,
    FeedSettingsService,
    FeedStatusService,
    FiltersService,
    FullTextService,
    SearchService,
    ArticleWorkSchedule,
    OpmlExportService,
    OpmlImportService,
    NextcloudImportService,
    SourceFinder,
    SourceRefresher,
    RefreshService,
    OutageWatch,
    FeedDoctor,
    StatisticsService,
    WebSubService,
    UpdaterService,
    UpdaterSchedule,
    ArticlesRepository,
    AssistanceRepository,
    DeliveriesRepository,
    FetchHistoryRepository,
    FeedSettingsRepository,
    FiltersRepository,
    FullTextRepository,
    SearchRepository,
    FoldersRepository,
    ImportsRepository,
    ItemsRepository,
    ReaderClientsRepository,
    SecretBox,
    ReaderLocks,
    ReadersRepository,
    RefreshesRepository,
    ScheduleRepository,
    SourceListsRepository,
    SourcesRepository,
    SubscriptionsRepository,
    WebSubRepository,
  ],
})
export class NewsModule {
  constructor(
    deletionHooks: AccountDeletionHooks,
    restoreHooks: RestoreHooks,
    readers: ReadersRepository,
  ) {
    // Clients have seen item ids that a database filled from a backup would hand out again.
    restoreHooks.onRestored(() => readers.moveAhead());
    deletionHooks.onErase((userId) => readers.remove(userId));
  }
}
