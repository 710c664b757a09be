import { Subject } from '../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../platform/accounts/security/security.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { FeedFetchModule } from '../sources/fetch/fetch.module.js';
import { FetchHistoryModule } from '../sources/history/history.module.js';
import { RefreshingModule } from '../sources/refreshing/refreshing.module.js';
import { UpdateScheduleModule } from '../sources/schedule/schedule.module.js';
import { SourcesModule } from '../sources/sources.module.js';
import { WebSubModule } from '../sources/websub/websub.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { AddressDoctor } from './address-doctor.service.js';
import { registerDoctorCommand } from './doctor.commands.js';
import { DoctorController, FeedStatusV13Controller } from './doctor.controller.js';
import { FeedDoctor } from './feed-doctor.service.js';
import { FeedChecks } from './feed.checks.js';

/** Explains the state of feeds. */
@Subject({
  imports: [
    DeliveryModule,
    FeedFetchModule,
    FeedsModule,
    FetchHistoryModule,
    RefreshingModule,
    SecurityEventsModule,
    SourcesModule,
    StatisticsModule,
    UpdateScheduleModule,
    WebSubModule,
  ],
  controllers: [DoctorController, FeedStatusV13Controller],
  providers: [AddressDoctor, FeedChecks, FeedDoctor],
  commands: [registerDoctorCommand],
})
export class FeedDoctorModule {}
