import { Subject } from '../../common/subjects/subject.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { ItemsModule } from '../reader/items/items.module.js';
import { NewsSearchModule } from '../reader/search/search.module.js';
import { ArticlesModule } from '../sources/articles/articles.module.js';
import { FullTextModule } from '../sources/full-text/full-text.module.js';
import { FetchHistoryModule } from '../sources/history/history.module.js';
import { RefreshingModule } from '../sources/refreshing/refreshing.module.js';
import { UpdateScheduleModule } from '../sources/schedule/schedule.module.js';
import { SourcesModule } from '../sources/sources.module.js';
import { WebSubModule } from '../sources/websub/websub.module.js';
import { ArticleWork } from './article-work.task.js';
import { DueFetches } from './due-fetches.task.js';
import { HousekeepingRepository } from './housekeeping.repository.js';
import { ReaderRetention } from './reader-retention.service.js';
import { RetentionService } from './retention.service.js';
import { UpdateCycle } from './update-cycle.service.js';
import { UpdateRequestsRepository } from './update-requests.repository.js';
import { registerUpdaterCommands } from './updater.commands.js';
import { UpdaterController } from './updater.controller.js';
import { UpdaterSchedule } from './updater.schedule.js';
import { UpdaterService } from './updater.service.js';

/** The update cycle: fetches that are due, clean-up, and the updater routes. */
@Subject({
  imports: [
    ArticlesModule,
    DeliveryModule,
    FeedsModule,
    FetchHistoryModule,
    FullTextModule,
    ItemsModule,
    NewsSearchModule,
    RefreshingModule,
    SourcesModule,
    UpdateScheduleModule,
    WebSubModule,
  ],
  controllers: [UpdaterController],
  providers: [
    ArticleWork,
    DueFetches,
    UpdateRequestsRepository,
    HousekeepingRepository,
    ReaderRetention,
    RetentionService,
    UpdateCycle,
    UpdaterService,
    UpdaterSchedule,
  ],
  exports: [RetentionService, UpdaterService],
  commands: [registerUpdaterCommands],
})
export class UpdaterModule {}
