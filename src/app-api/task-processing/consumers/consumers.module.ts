import { Subject } from '../../../common/subjects/subject.js';
import { ThrottleModule } from '../../../platform/sign-in/throttle/throttle.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { RegistrationsModule } from '../../capabilities/capabilities.module.js';
import { TaskFilesModule } from '../files/files.module.js';
import { TaskProvidersModule } from '../providers/providers.module.js';
import { TaskQueueModule } from '../queue/queue.module.js';
import { AppTasksController, OwnTasksController } from './own-tasks.controller.js';
import { OwnTasksRepository } from './own-tasks.repository.js';
import { OwnTasksService } from './own-tasks.service.js';
import { TaskCalls } from './task-calls.service.js';
import { TaskDownloadsController } from './task-downloads.controller.js';
import { TaskScheduler } from './task-scheduler.service.js';
import { TaskWebhooks } from './task-webhooks.task.js';

/** Tasks of users and apps: scheduling them, and reading the caller's own. */
@Subject({
  imports: [
    AppsModule,
    RegistrationsModule,
    TaskFilesModule,
    TaskProvidersModule,
    TaskQueueModule,
    ThrottleModule,
  ],
  controllers: [OwnTasksController, AppTasksController, TaskDownloadsController],
  providers: [OwnTasksRepository, OwnTasksService, TaskCalls, TaskScheduler, TaskWebhooks],
  exports: [OwnTasksRepository, OwnTasksService, TaskScheduler],
})
export class TaskConsumersModule {}
