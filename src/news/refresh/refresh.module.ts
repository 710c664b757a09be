import { Subject } from '../../common/subjects/subject.js';
import { ThrottleModule } from '../../platform/sign-in/throttle/throttle.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FoldersModule } from '../reader/folders/folders.module.js';
import { RefreshingModule } from '../sources/refreshing/refreshing.module.js';
import { UpdateScheduleModule } from '../sources/schedule/schedule.module.js';
import { RefreshController } from './refresh.controller.js';
import { RefreshService } from './refresh.service.js';
import { RefreshesRepository } from './refreshes.repository.js';

/** Refreshes requested by users. */
@Subject({
  imports: [DeliveryModule, FoldersModule, RefreshingModule, ThrottleModule, UpdateScheduleModule],
  controllers: [RefreshController],
  providers: [RefreshService, RefreshesRepository],
})
export class RefreshModule {}
