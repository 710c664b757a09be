import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AccountDeletionHooks } from '../common/ports/account-deletion-hooks.js';
import { RestoreHooks } from '../common/ports/restore-hooks.js';
import { SecretBox } from '../common/secrets/secret-box.js';
import { FeedSettingsController } from './reader/feeds/feed-settings.controller.js';
import { DoctorController } from './doctor/doctor.controller.js';
import { FeedsController } from './reader/feeds/feeds.controller.js';
import { FoldersController } from './reader/folders/folders.controller.js';
import { ItemsController } from './reader/items/items.controller.js';
import { LevelsController } from './levels.controller.js';
import { OpmlController, OpmlOfWebInterfaceController } from './opml/opml.controller.js';
import { RefreshController } from './refresh/refresh.controller.js';
import { SearchController } from './reader/search/search.controller.js';
import { ServiceController } from './service.controller.js';
import { UpdaterController } from './updater/updater.controller.js';
import { ItemsByGuidV12Controller } from './reader/items/items-by-guid.v1-2.controller.js';
import { ItemsV12Controller } from './reader/items/items.v1-2.controller.js';
import { ArticlePageV13Controller } from './article/article-page/article-page.v1-3.controller.js';
import { ArticlePageRepository } from './article/article-page/article-page.repository.js';
import { ArticlePageService } from './article/article-page/article-page.service.js';
import { AutomationPlanner } from './assistance/automation/automation-planner.js';
import { AutomationRepository } from './assistance/automation/automation.repository.js';
import { AutomationService } from './assistance/automation/automation.service.js';
import { AutomationV13Controller } from './assistance/automation/automation.v1-3.controller.js';
import { AutomationWork } from './assistance/automation/automation-work.js';
import { AssistanceV13Controller } from './assistance/assistance.v1-3.controller.js';
import { EventsV13Controller } from './reader/live/events.v1-3.controller.js';
import { PlaybackV13Controller } from './article/playback/playback.v1-3.controller.js';
import { PlaybackRepository } from './article/playback/playback.repository.js';
import { PlaybackService } from './article/playback/playback.service.js';
import { ChaptersV13Controller } from './article/chapters/chapters.v1-3.controller.js';
import { ExtrasV13Controller } from './article/extras/extras.v1-3.controller.js';
import { FaviconV13Controller } from './sources/favicons/favicon.v1-3.controller.js';
import { FeedStatusV13Controller } from './doctor/feed-status.v1-3.controller.js';
import { PicturesController } from './sources/pictures/pictures.controller.js';
import { PreviewV13Controller } from './adding/preview/preview.v1-3.controller.js';
import { FiltersV13Controller } from './reader/filters/filters.v1-3.controller.js';
import { ItemsV13Controller } from './reader/items/items.v1-3.controller.js';
import { RowsV13Controller } from './reader/rows/rows.v1-3.controller.js';
import { StatisticsV13Controller } from './statistics/statistics.v1-3.controller.js';
import { ArticleWork } from './updater/article-work.js';
import { DeletionsService } from './updater/deletions.service.js';
import { DueFetches } from './updater/due-fetches.js';
import { UpdateRequestsRepository } from './updater/update-requests.repository.js';
import { HousekeepingRepository } from './updater/housekeeping.repository.js';
import { RetentionService } from './updater/retention.service.js';
import { FetchSettings } from './updater/fetch-settings.js';
import { UpdateCycle } from './updater/update-cycle.js';
import { ArticleAssistant } from './assistance/article-assistant.js';
import { AssistanceService } from './assistance/assistance.service.js';
import { AssistanceWork } from './assistance/assistance-work.js';
import { DeliveryService } from './reader/delivery/delivery.service.js';
import { AddressDoctor } from './doctor/address-doctor.service.js';
import { FeedChecks } from './doctor/feed-checks.js';
import { FeedDoctor } from './doctor/feed-doctor.service.js';
import { PictureCache } from './sources/pictures/picture-cache.js';
import { PictureSignatures } from './sources/pictures/picture-signatures.js';
import { PicturesService } from './sources/pictures/pictures.service.js';
import { ChaptersService } from './article/chapters/chapters.service.js';
import { ExtrasRepository } from './article/extras/extras.repository.js';
import { ExtrasService } from './article/extras/extras.service.js';
import { FaviconsService } from './sources/favicons/favicons.service.js';
import { FeedPreviewService } from './adding/preview/feed-preview.service.js';
import { FeedSettingsService } from './reader/feeds/feed-settings.service.js';
import { FeedStatusService } from './doctor/feed-status.service.js';
import { FeedsService } from './reader/feeds/feeds.service.js';
import { RecordingFetcher } from './assistance/fetch-recording.js';
import { IconFinder } from './sources/favicons/find-icon.js';
import { FeedReadingPool } from './feed-parser/pool/feed-reading-pool.js';
import { ArticleReadingPool } from './sources/full-text/article-reading-pool.js';
import { ArticleFetcher } from './sources/full-text/fetch-article.js';
import { FeedFetcher } from './sources/fetch/fetch-feed.js';
import { FiltersService } from './reader/filters/filters.service.js';
import { FoldersService } from './reader/folders/folders.service.js';
import { FullTextService } from './sources/full-text/full-text.service.js';
import { NextcloudImportService } from './import-nextcloud/nextcloud-import.service.js';
import { ItemsService } from './reader/items/items.service.js';
import { ItemLabelsV13Controller } from './reader/labels/item-labels.v1-3.controller.js';
import { LabelsV13Controller } from './reader/labels/labels.v1-3.controller.js';
import { LabelsService } from './reader/labels/labels.service.js';
import { ItemDatesService } from './reader/rows/item-dates.service.js';
import { RowsService } from './reader/rows/rows.service.js';
import { StreamsRepository } from './reader/streams/streams.repository.js';
import { StreamsService } from './reader/streams/streams.service.js';
import { LiveUpdates } from './reader/live/live-updates.service.js';
import { OpmlExportService } from './opml/opml-export.service.js';
import { OpmlImportService } from './opml/opml-import.service.js';
import { FeedDiscovery } from './sources/feed-discovery.js';
import { SourceFinder } from './sources/source-finder.js';
import { SourceRefresher } from './sources/source-refresher.js';
import { FeedAccessBox } from './sources/access/feed-access.js';
import { SealedAccess } from './sources/access/sealed-access.js';
import { NetworkOutageDetector } from './sources/network-outage-detector.js';
import { RefreshService } from './refresh/refresh.service.js';
import { SearchService } from './reader/search/search.service.js';
import { SourceMetrics } from './statistics/source-metrics.js';
import { StatisticsService } from './statistics/statistics.service.js';
import { IconsRepository } from './sources/favicons/icons.repository.js';
import { ArticleRetentionRepository } from './sources/articles/article-retention.repository.js';
import { UpdatePlanner } from './sources/schedule/update-planner.js';
import { ArticlesRepository } from './sources/articles/articles.repository.js';
import { AssistanceRepository } from './assistance/assistance.repository.js';
import { DeliveriesRepository } from './reader/delivery/deliveries.repository.js';
import { ItemDatesRepository } from './reader/delivery/item-dates.repository.js';
import { FollowersRepository } from './reader/followers.repository.js';
import { OpmlRepository } from './opml/opml.repository.js';
import { FetchHistoryRepository } from './sources/history/fetch-history.repository.js';
import { FiltersRepository } from './reader/filters/filters.repository.js';
import { FoldersRepository } from './reader/folders/folders.repository.js';
import { FullTextRepository } from './sources/full-text/full-text.repository.js';
import { ImportsRepository } from './import-nextcloud/imports.repository.js';
import { ItemsRepository } from './reader/items/items.repository.js';
import { LabelsRepository } from './reader/labels/labels.repository.js';
import { RowsRepository } from './reader/rows/rows.repository.js';
import { ClusterChecks } from './distribution/cluster-checks.js';
import { ClusterRepository } from './distribution/cluster.repository.js';
import { Topology } from './distribution/topology.repository.js';
import { FollowerRows } from './reader/delivery/follower-rows.repository.js';
import { ReaderIds } from './reader/delivery/reader-ids.repository.js';
import { ReaderClientsRepository } from './reader/delivery/reader-clients.repository.js';
import { ReaderLocks } from './reader/delivery/reader-locks.repository.js';
import { AddedItemsService } from './adding/added-items.service.js';
import { AddedItemsV13Controller } from './adding/added-items.v1-3.controller.js';
import { GivenFeedsRepository } from './adding/given-feeds.repository.js';
import { ReadersRepository } from './reader/delivery/readers.repository.js';
import { RefreshesRepository } from './refresh/refreshes.repository.js';
import { ScheduleRepository } from './sources/schedule/schedule.repository.js';
import { SearchRepository } from './reader/search/search.repository.js';
import { SourceListsRepository } from './statistics/source-lists.repository.js';
import { SourcesRepository } from './sources/sources.repository.js';
import { SubscriptionsRepository } from './reader/feeds/subscriptions.repository.js';
import { WebSubRepository } from './sources/websub/websub.repository.js';
import { UpdaterSchedule } from './updater/updater.schedule.js';
import { UpdaterService } from './updater/updater.service.js';
import { WebSubController } from './sources/websub/websub.controller.js';
import { WebSubService } from './sources/websub/websub.service.js';
import { NewsEventSource } from '../common/ports/news-events.js';
import { NewsEventDispatch } from './reader/events/news-event-dispatch.service.js';
import { NewsEventsRepository } from './reader/events/news-events.repository.js';

/** The feed reader: folders, feeds and items per user, and the fetching behind them. */
@Global()
@Module({
  imports: [ScheduleModule.forRoot()],
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
    PreviewV13Controller,
    FeedStatusV13Controller,
    SearchController,
    ItemsController,
    AddedItemsV13Controller,
    ItemsV12Controller,
    ItemsV13Controller,
    ItemLabelsV13Controller,
    LabelsV13Controller,
    RowsV13Controller,
    FaviconV13Controller,
    ChaptersV13Controller,
    ExtrasV13Controller,
    ArticlePageV13Controller,
    PicturesController,
    PlaybackV13Controller,
    EventsV13Controller,
    AssistanceV13Controller,
    AutomationV13Controller,
    FiltersV13Controller,
    WebSubController,
    OpmlController,
    OpmlOfWebInterfaceController,
    // Its route matches paths of the other item routes, so it must be last.
    ItemsByGuidV12Controller,
  ],
  providers: [
    FeedFetcher,
    IconFinder,
    ArticleFetcher,
    RecordingFetcher,
    { provide: FeedReadingPool, useFactory: () => new FeedReadingPool() },
    { provide: ArticleReadingPool, useFactory: () => new ArticleReadingPool() },
    FoldersService,
    FeedsService,
    ItemsService,
    AddedItemsService,
    GivenFeedsRepository,
    LabelsService,
    ItemDatesService,
    RowsService,
    StreamsService,
    DeliveryService,
    LiveUpdates,
    NewsEventDispatch,
    NewsEventsRepository,
    { provide: NewsEventSource, useExisting: NewsEventsRepository },
    ArticleAssistant,
    AssistanceService,
    AssistanceWork,
    AutomationPlanner,
    AutomationRepository,
    AutomationService,
    AutomationWork,
    FaviconsService,
    FetchSettings,
    ChaptersService,
    ExtrasService,
    ArticlePageService,
    PicturesService,
    PictureCache,
    PictureSignatures,
    PlaybackService,
    FeedPreviewService,
    FeedSettingsService,
    FeedStatusService,
    FiltersService,
    FullTextService,
    SearchService,
    OpmlExportService,
    OpmlImportService,
    NextcloudImportService,
    FeedDiscovery,
    SourceFinder,
    SourceRefresher,
    RefreshService,
    NetworkOutageDetector,
    AddressDoctor,
    FeedChecks,
    FeedDoctor,
    StatisticsService,
    SourceMetrics,
    WebSubService,
    ArticleWork,
    DeletionsService,
    DueFetches,
    UpdateRequestsRepository,
    HousekeepingRepository,
    RetentionService,
    UpdateCycle,
    UpdaterService,
    UpdaterSchedule,
    ArticleRetentionRepository,
    ArticlesRepository,
    IconsRepository,
    ExtrasRepository,
    ArticlePageRepository,
    PlaybackRepository,
    UpdatePlanner,
    AssistanceRepository,
    DeliveriesRepository,
    ItemDatesRepository,
    FetchHistoryRepository,
    FollowersRepository,
    OpmlRepository,
    FiltersRepository,
    FullTextRepository,
    SearchRepository,
    FoldersRepository,
    ImportsRepository,
    ItemsRepository,
    LabelsRepository,
    RowsRepository,
    StreamsRepository,
    ReaderClientsRepository,
    FollowerRows,
    ClusterChecks,
    ClusterRepository,
    Topology,
    ReaderIds,
    SecretBox,
    FeedAccessBox,
    SealedAccess,
    ReaderLocks,
    ReadersRepository,
    RefreshesRepository,
    ScheduleRepository,
    SourceListsRepository,
    SourcesRepository,
    SubscriptionsRepository,
    WebSubRepository,
  ],
  exports: [
    NewsEventSource,
    FeedsService,
    FoldersService,
    ItemsService,
    LabelsService,
    StreamsService,
    OpmlExportService,
    OpmlImportService,
    IconsRepository,
    ReaderIds,
    ReadersRepository,
    SubscriptionsRepository,
    SecretBox,
  ],
})
export class NewsModule {
  constructor(
    deletionHooks: AccountDeletionHooks,
    restoreHooks: RestoreHooks,
    readers: ReadersRepository,
    events: NewsEventsRepository,
    assistance: AssistanceRepository,
    givenFeeds: GivenFeedsRepository,
  ) {
    // A restored database would assign item ids again that clients already know.
    restoreHooks.onRestored(() => readers.moveAhead());
    restoreHooks.onRestored(() => events.forget());
    deletionHooks.onErase((userId) => readers.remove(userId));
    deletionHooks.onErase((userId) => givenFeeds.removeOfUser(userId));
    deletionHooks.onErase((userId) => assistance.removeOfUser(userId));
  }
}
