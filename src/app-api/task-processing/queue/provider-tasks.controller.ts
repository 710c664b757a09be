import { Get, Post } from '@nestjs/common';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { OcsNothing } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { GatewayAuthGuard } from '../../access/gateway-auth.guard.js';
import { toTaskJson } from './processing-task.wire.js';
import {
  IntermediateOutput,
  NextTask,
  NextTasks,
  TaskProgress,
  TaskResult,
} from './provider-task.input.js';
import { TaskQueue } from './task-queue.service.js';
import { TaskReports } from './task-reports.service.js';

/**
 * The routes by which providers fetch tasks and report on them.
 *
 * @see docs/app-api.md "Task processing"
 */
@TakesLargeBodies()
@OcsController('taskprocessing/tasks_provider', { guards: [GatewayAuthGuard] })
export class ProviderTasksController {
  constructor(
    private readonly queue: TaskQueue,
    private readonly reports: TaskReports,
  ) {}

  /** 204 if there is no task. */
  @Get('next')
  async next(@CallingExApp() { appId }: CallingApp, @Input(NextTask) wish: NextTask) {
    const [task] = await this.queue.claim(appId, toWish(wish), 1);
    if (task === undefined) {
      return new OcsNothing();
    }
    // Apps read either name.
    const provider = { name: task.providerId, id: task.providerId };
    return { task: toTaskJson(task), provider };
  }

  @Get('next_batch')
  async nextBatch(@CallingExApp() { appId }: CallingApp, @Input(NextTasks) wish: NextTasks) {
    const { tasks, hasMore } = await this.queue.claimBatch(appId, toWish(wish), wish.numberOfTasks);
    return {
      tasks: tasks.map((task) => ({ task: toTaskJson(task), provider: task.providerId })),
      has_more: hasMore,
    };
  }

  @Post(':taskId/progress')
  async progress(
    @CallingExApp() { appId }: CallingApp,
    @Input(TaskProgress) { taskId, progress }: TaskProgress,
  ) {
    return { task: toTaskJson(await this.queue.reportProgress(appId, taskId, progress)) };
  }

  @Post(':taskId/result')
  async result(@CallingExApp() { appId }: CallingApp, @Input(TaskResult) report: TaskResult) {
    const { taskId, output, errorMessage, userFacingErrorMessage } = report;
    const end = { output, error: errorMessage, userError: userFacingErrorMessage };
    return { task: toTaskJson(await this.reports.end(appId, taskId, end)) };
  }

  @Post(':taskId/stream-result')
  async streamResult(
    @CallingExApp() { appId }: CallingApp,
    @Input(IntermediateOutput) { taskId, output }: IntermediateOutput,
  ) {
    return { task: toTaskJson(await this.reports.stream(appId, taskId, output)) };
  }
}

function toWish({ providerIds, taskTypeIds }: NextTask) {
  return { providerIds, typeIds: taskTypeIds };
}
