import { Subject } from '../../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../../platform/accounts/security/security.module.js';
import { AppAdministrationModule } from '../../administration/administration.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { RegistrationsModule } from '../../capabilities/capabilities.module.js';
import { QueuesModule } from '../../queues/queues.module.js';
import { TaskProvidersModule } from '../providers/providers.module.js';
import { TaskQueueModule } from '../queue/queue.module.js';
import { TaskAdministrationController } from './task-administration.controller.js';
import { TaskAdministration } from './task-administration.service.js';
import { TaskProcessingReports } from './task-processing-report.service.js';
import { registerTaskProcessingCommands } from './task-processing.commands.js';
import { TaskViews } from './task-views.service.js';
import { WatchedTasksRepository } from './watched-tasks.repository.js';

/** Task administration. */
@Subject({
  imports: [
    AppAdministrationModule,
    AppsModule,
    QueuesModule,
    RegistrationsModule,
    SecurityEventsModule,
    TaskProvidersModule,
    TaskQueueModule,
  ],
  controllers: [TaskAdministrationController],
  providers: [TaskAdministration, TaskViews, TaskProcessingReports, WatchedTasksRepository],
  commands: [registerTaskProcessingCommands],
})
export class TaskAdministrationModule {}
