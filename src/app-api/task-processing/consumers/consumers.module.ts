import { AppTasksController } from './app-tasks.controller.js';
import { OwnTasksController } from './own-tasks.controller.js';
import { OwnTasksRepository } from './own-tasks.repository.js';
import { OwnTasksService } from './own-tasks.service.js';
import { TaskDownloadsController } from './task-downloads.controller.js';
import { TaskScheduler } from './task-scheduler.service.js';
import { TaskFilesModule } from '../files/files.module.js';
import { TaskProvidersModule } from '../providers/providers.module.js';
import { TaskQueueModule } from '../queue/queue.module.js';
import { TaskWebhooksModule } from '../webhooks/webhooks.module.js';
import { Subject } from '../../../common/subjects/subject.js';
import { ThrottleModule } from '../../../platform/sign-in/throttle/throttle.module.js';

/** Tasks of users and apps: scheduling, and looking at one's own. */
@Subject({
  imports: [
    TaskFilesModule,
    TaskProvidersModule,
    TaskQueueModule,
    TaskWebhooksModule,
    ThrottleModule,
  ],
  controllers: [OwnTasksController, AppTasksController, TaskDownloadsController],
  providers: [OwnTasksRepository, OwnTasksService, TaskScheduler],
  exports: [TaskScheduler],
})
export class TaskConsumersModule {}
