import { Injectable } from '@nestjs/common';
import { AppFindings } from '../../administration/app-findings.js';
import { QueuesService } from '../../queues/queues.service.js';
import { TasksService } from '../older-tasks/tasks.service.js';
import { describeTaskProcessing } from './describe-report.js';
import { TaskAdministration } from './task-administration.service.js';
import { TaskProcessingReports } from './task-processing-report.service.js';

/** Shows tasks where administrators look at queues and apps. */
@Injectable()
export class TaskViews {
  constructor(
    queues: QueuesService,
    apps: AppFindings,
    older: TasksService,
    tasks: TaskAdministration,
    reports: TaskProcessingReports,
  ) {
    queues.countsTasks('tasks', async () => ({ ...(await older.counts()) }));
    queues.countsTasks('task_processing', () => tasks.counts());
    apps.add({
      name: 'taskProcessing',
      examine: (appId) => reports.examine(appId),
      describe: describeTaskProcessing,
    });
  }
}
