import { AppsModule } from '../../apps/apps.module.js';
import { TaskQueueModule } from '../queue/queue.module.js';
import { TaskWebhooks } from './task-webhooks.js';
import { Subject } from '../../../common/subjects/subject.js';

/** Calls to consumers when a task has ended. */
@Subject({
  imports: [AppsModule, TaskQueueModule],
  providers: [TaskWebhooks],
  exports: [TaskWebhooks],
})
export class TaskWebhooksModule {}
