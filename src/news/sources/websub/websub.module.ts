import { Subject } from '../../../common/subjects/subject.js';
import { RefreshingModule } from '../refreshing/refreshing.module.js';
import { UpdateScheduleModule } from '../schedule/schedule.module.js';
import { WebSubController } from './websub.controller.js';
import { WebSubRepository } from './websub.repository.js';
import { WebSubService } from './websub.service.js';

/** Subscriptions to WebSub hubs. */
@Subject({
  imports: [RefreshingModule, UpdateScheduleModule],
  controllers: [WebSubController],
  providers: [WebSubService, WebSubRepository],
  exports: [WebSubRepository, WebSubService],
})
export class WebSubModule {}
