import { offered, Subject } from '../../../common/subjects/subject.js';
import { TaskQueueModule } from '../queue/queue.module.js';
import { TaskFilesOffer } from '../queue/task-reports.service.js';
import {
  ProcessingTaskFileEntity,
  ProcessingTaskFilePieceEntity,
  TaskFilesRepository,
} from './task-files.repository.js';
import { TaskFilesService } from './task-files.service.js';
import { TaskUploadsController } from './task-uploads.controller.js';

/** Files of tasks. */
@Subject({
  imports: [TaskQueueModule],
  controllers: [TaskUploadsController],
  providers: [TaskFilesRepository, TaskFilesService, offered(TaskFilesOffer, TaskFilesRepository)],
  exports: [TaskFilesService],
  edgeRules: [
    // Files of tasks are streamed.
    {
      path: /^\/ocs\/v[12]\.php\/taskprocessing\/tasks_provider\/\d+\/file$/i,
      rawBody: true,
      slowBody: (method) => method === 'POST',
    },
  ],
  entities: [ProcessingTaskFileEntity, ProcessingTaskFilePieceEntity],
})
export class TaskFilesModule {}
