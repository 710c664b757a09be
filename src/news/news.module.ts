import { Subject } from '../common/subjects/subject.js';
import { AddedItemsModule } from './adding/adding.module.js';
import { ArticleModule } from './article/article.module.js';
import { DistributionModule } from './distribution/distribution.module.js';
import { FeedDoctorModule } from './doctor/doctor.module.js';
import { ImportNextcloudModule } from './import-nextcloud/import-nextcloud.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { FeedMergingModule } from './merging/merging.module.js';
import { OpmlModule } from './opml/opml.module.js';
import { ArrivalModule } from './reader/arrival/arrival.module.js';
import { DeliveryModule } from './reader/delivery/delivery.module.js';
import { NewsEventsModule } from './reader/events/events.module.js';
import { FeedsModule } from './reader/feeds/feeds.module.js';
import { FiltersModule } from './reader/filters/filters.module.js';
import { FoldersModule } from './reader/folders/folders.module.js';
import { ItemsModule } from './reader/items/items.module.js';
import { LabelsModule } from './reader/labels/labels.module.js';
import { LiveUpdatesModule } from './reader/live/live.module.js';
import { NoticesModule } from './reader/notices/notices.module.js';
import { RowsModule } from './reader/rows/rows.module.js';
import { RulesModule } from './reader/rules/rules.module.js';
import { NewsSearchModule } from './reader/search/search.module.js';
import { StreamsModule } from './reader/streams/streams.module.js';
import { RefreshModule } from './refresh/refresh.module.js';
import { NewsServiceModule } from './service/service.module.js';
import { FeedAccessModule } from './sources/access/access.module.js';
import { ArticlesModule } from './sources/articles/articles.module.js';
import { FaviconsModule } from './sources/favicons/favicons.module.js';
import { FeedFetchModule } from './sources/fetch/fetch.module.js';
import { SourceFindingModule } from './sources/finding/finding.module.js';
import { FullTextModule } from './sources/full-text/full-text.module.js';
import { FetchHistoryModule } from './sources/history/history.module.js';
import { PicturesModule } from './sources/pictures/pictures.module.js';
import { RefreshingModule } from './sources/refreshing/refreshing.module.js';
import { UpdateScheduleModule } from './sources/schedule/schedule.module.js';
import { SourcesModule } from './sources/sources.module.js';
import { WebSubModule } from './sources/websub/websub.module.js';
import { StatisticsModule } from './statistics/statistics.module.js';
import { SuggestingModule } from './suggesting/suggesting.module.js';
import { NewsTablesModule } from './tables/tables.module.js';
import { NewsTransferModule } from './transfer/transfer.module.js';
import { UpdaterModule } from './updater/updater.module.js';

/** The feed reader, without its other APIs and the assistance, which are parts of their own. */
@Subject({
  imports: [
    AddedItemsModule,
    ArrivalModule,
    ArticleModule,
    ArticlesModule,
    DeliveryModule,
    DistributionModule,
    FaviconsModule,
    FeedAccessModule,
    FeedDoctorModule,
    FeedFetchModule,
    FeedMergingModule,
    FeedsModule,
    FetchHistoryModule,
    FiltersModule,
    FoldersModule,
    FullTextModule,
    ImportNextcloudModule,
    ImportsModule,
    ItemsModule,
    LabelsModule,
    LiveUpdatesModule,
    NewsEventsModule,
    NewsSearchModule,
    NewsServiceModule,
    NewsTablesModule,
    NoticesModule,
    OpmlModule,
    PicturesModule,
    RefreshModule,
    RefreshingModule,
    RowsModule,
    RulesModule,
    SourceFindingModule,
    SourcesModule,
    StatisticsModule,
    StreamsModule,
    NewsTransferModule,
    SuggestingModule,
    UpdateScheduleModule,
    UpdaterModule,
    WebSubModule,
  ],
  edgeRules: [
    // Browser applications on other origins may call the feed reader API.
    { path: /^\/apps\/news\/api(?:\/|$)/i, crossOrigin: true },
  ],
})
export class NewsModule {}
