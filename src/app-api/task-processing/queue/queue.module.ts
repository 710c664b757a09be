import { Subject } from '../../../common/subjects/subject.js';
import { AppsModule } from '../../apps/apps.module.js';
import { TaskProvidersModule } from '../providers/providers.module.js';
import { ProcessingTaskEntity } from './processing-task.entity.js';
import { ProcessingTasksRepository } from './processing-tasks.repository.js';
import { ProviderTasksController } from './provider-tasks.controller.js';
import { ScheduledTypes } from './scheduled-types-cache.service.js';
import { TaskPollsController } from './task-polls.controller.js';
import { TaskQueue } from './task-queue.service.js';
import { TaskFilesOffer, TaskReports } from './task-reports.service.js';
import { TaskTriggers } from './task-triggers.service.js';

/** The queue that apps fetch tasks from, and their reports. */
@Subject({
  imports: [AppsModule, TaskProvidersModule],
  controllers: [TaskPollsController, ProviderTasksController],
  providers: [
    ProcessingTasksRepository,
    TaskQueue,
    ScheduledTypes,
    TaskFilesOffer,
    TaskReports,
    TaskTriggers,
  ],
  exports: [ProcessingTasksRepository, TaskFilesOffer, TaskQueue],
  entities: [ProcessingTaskEntity],
})
export class TaskQueueModule {}
