import { Subject } from '../../common/subjects/subject.js';
import { TaskAdministrationModule } from './administration/administration.module.js';
import { TaskConsumersModule } from './consumers/consumers.module.js';
import { TaskFilesModule } from './files/files.module.js';
import { OlderTasksModule } from './older-tasks/older-tasks.module.js';
import { TaskProvidersModule } from './providers/providers.module.js';
import { TaskQueueModule } from './queue/queue.module.js';

/**
 * Tasks of users and apps for external apps that work on them.
 *
 * @see docs/app-api-tasks.md
 */
@Subject({
  imports: [
    OlderTasksModule,
    TaskAdministrationModule,
    TaskConsumersModule,
    TaskFilesModule,
    TaskProvidersModule,
    TaskQueueModule,
  ],
})
export class TaskProcessingModule {}
