import { UseInterceptors } from '@nestjs/common';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { GatewayAuthGuard } from '../../apps/access/gateway-auth.guard.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import {
  toTaskJson,
  ProcessingTaskAnswer,
  ProcessingTasksAnswer,
} from '../queue/processing-task.wire.js';
import { toTypesJson, AvailableTypesAnswer } from './available-types.wire.js';
import { OwnTaskFilter, OwnTaskPath, ScheduleOwn } from './own-task.input.js';
import { OwnTasksService } from './own-tasks.service.js';
import { TaskFailures } from '../task-failures.interceptor.js';

const ofApp = ({ appId }: CallingApp) => ({ userId: null, consumer: appId });

/**
 * Tasks that external apps schedule for themselves, without a user. An app has only its own.
 *
 * @see docs/app-api-tasks.md "Task processing"
 */
@OcsController('taskprocessing/tasks_consumer', { guards: [GatewayAuthGuard] })
@UseInterceptors(TaskFailures)
export class AppTasksController {
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
    @CallingExApp() app: CallingApp,
    @Input(ScheduleOwn) { type: typeId, ...rest }: ScheduleOwn,
  ) {
    const request = { ...rest, ...ofApp(app), typeId, callingAppId: app.appId };
    return { task: toTaskJson(await this.tasks.schedule(request)) };
  }

  @Get('task/:id', 'Shows a task.', ProcessingTaskAnswer)
  async show(@CallingExApp() app: CallingApp, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    return { task: toTaskJson(await this.tasks.find(ofApp(app), id)) };
  }

  /** Succeeds also if there is none. */
  @Delete('task/:id', 'Removes a task.', 'nothing')
  async remove(@CallingExApp() app: CallingApp, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    await this.tasks.remove(ofApp(app), id);
    return null;
  }

  /** Newest first. */
  @Get('tasks', 'Lists the tasks of the app.', ProcessingTasksAnswer)
  async list(@CallingExApp() app: CallingApp, @Input(OwnTaskFilter) filter: OwnTaskFilter) {
    return { tasks: (await this.tasks.list(ofApp(app), filter)).map(toTaskJson) };
  }

  @Post('tasks/:id/cancel', 'Cancels a task.', ProcessingTaskAnswer)
  async cancel(@CallingExApp() app: CallingApp, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    return { task: toTaskJson(await this.tasks.cancel(ofApp(app), id)) };
  }
}
