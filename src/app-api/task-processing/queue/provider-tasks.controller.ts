import { Post } from '../../../common/contracts/routes.js';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { GatewayAuthGuard } from '../../apps/access/gateway-auth.guard.js';
import { toTaskJson, ProcessingTaskAnswer } from './processing-task.wire.js';
import { IntermediateOutput, TaskProgress, TaskResult } from './provider-task.input.js';
import { TaskReports } from './task-reports.service.js';

/**
 * The routes by which providers report on their tasks.
 *
 * @see docs/app-api-tasks.md "Task processing"
 */
@TakesLargeBodies()
@OcsController('taskprocessing/tasks_provider', { guards: [GatewayAuthGuard] })
export class ProviderTasksController {
  constructor(private readonly reports: TaskReports) {}

  @Post(':taskId/progress', 'Reports the progress of a task.', ProcessingTaskAnswer)
  async progress(
    @CallingExApp() { appId }: CallingApp,
    @Input(TaskProgress) { taskId, progress }: TaskProgress,
  ) {
    return { task: toTaskJson(await this.reports.progress(appId, taskId, progress)) };
  }

  @Post(':taskId/result', 'Reports the result of a task.', ProcessingTaskAnswer)
  async result(@CallingExApp() { appId }: CallingApp, @Input(TaskResult) report: TaskResult) {
    const { taskId, output, errorMessage, userFacingErrorMessage } = report;
    const end = { output, error: errorMessage, userError: userFacingErrorMessage };
    return { task: toTaskJson(await this.reports.end(appId, taskId, end)) };
  }

  @Post(':taskId/stream-result', 'Reports what there is of a result.', ProcessingTaskAnswer)
  async streamResult(
    @CallingExApp() { appId }: CallingApp,
    @Input(IntermediateOutput) { taskId, output }: IntermediateOutput,
  ) {
    return { task: toTaskJson(await this.reports.stream(appId, taskId, output)) };
  }
}
