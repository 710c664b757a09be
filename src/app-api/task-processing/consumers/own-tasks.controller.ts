import { UseInterceptors } from '@nestjs/common';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import {
  toTaskJson,
  ProcessingTaskAnswer,
  ProcessingTasksAnswer,
} from '../queue/processing-task.wire.js';
import { toTypesJson, AvailableTypesAnswer } from './available-types.wire.js';
import { OwnTaskFilter, OwnTaskPath, Schedule } from './own-task.input.js';
import { OwnTasksService } from './own-tasks.service.js';
import { TaskFailures } from '../task-failures.interceptor.js';

const ofUser = ({ userId }: Account) => ({ userId, consumer: '' });

/**
 * Tasks of users: by themselves, or by an external app that acts for them.
 *
 * @see docs/app-api-tasks.md "Task processing"
 */
@OcsController('taskprocessing')
@UseInterceptors(TaskFailures)
export class OwnTasksController {
  constructor(
    private readonly tasks: OwnTasksService,
    private readonly catalogue: TaskCatalogue,
  ) {}

  @Get('tasktypes', 'Lists the types of tasks that can be scheduled.', AvailableTypesAnswer)
  async types() {
    return { types: toTypesJson(await this.catalogue.available()) };
  }

  @Post('schedule', 'Schedules a task.', ProcessingTaskAnswer)
  @TakesLargeBodies()
  async schedule(
    @CurrentUser() { userId }: Account,
    @CallingExApp() app: CallingApp | undefined,
    @Input(Schedule) { type: typeId, appId: consumer, ...rest }: Schedule,
  ) {
    const request = { ...rest, typeId, userId, consumer, callingAppId: app?.appId };
    return { task: toTaskJson(await this.tasks.schedule(request)) };
  }

  @Get('task/:id', 'Shows a task.', ProcessingTaskAnswer)
  async show(@CurrentUser() account: Account, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    return { task: toTaskJson(await this.tasks.find(ofUser(account), id)) };
  }

  /** Succeeds also if there is none. */
  @Delete('task/:id', 'Removes a task.', 'nothing')
  async remove(@CurrentUser() account: Account, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    await this.tasks.remove(ofUser(account), id);
    return null;
  }

  /** Newest first. */
  @Get(['tasks', 'tasks/app/:appId'], 'Lists the tasks of the caller.', ProcessingTasksAnswer)
  async list(@CurrentUser() account: Account, @Input(OwnTaskFilter) filter: OwnTaskFilter) {
    return { tasks: (await this.tasks.list(ofUser(account), filter)).map(toTaskJson) };
  }

  @Post('tasks/:id/cancel', 'Cancels a task.', ProcessingTaskAnswer)
  async cancel(@CurrentUser() account: Account, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    return { task: toTaskJson(await this.tasks.cancel(ofUser(account), id)) };
  }
}
