import { z } from 'zod';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Post } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { GatewayAuthGuard } from '../../apps/access/ocs-gateway-controller.decorator.js';
import { toTaskJson, ProcessingTaskAnswer } from './processing-task.wire.js';
import { TaskReports } from './task-reports.service.js';

const taskId = wholeNumberThat((int) => int.nonnegative());

/** A text; of an app that sends something else, its JSON. */
const message = z.preprocess(
  (sent) => (typeof sent === 'string' ? sent : sent ? JSON.stringify(sent) : null),
  z.string().nullable(),
);

const outputValues = z.record(z.string(), z.unknown(), { error: 'must be an object' });

const RANGE = 'must be a number from 0 to 1';

const TaskProgress = z.object({
  taskId,
  progress: z.coerce.number({ error: RANGE }).min(0, RANGE).max(1, RANGE),
});

const TaskResult = z.object({
  taskId,
  // Accepts anything: an output that does not fit fails the task, not the request.
  output: z.preprocess((sent) => sent ?? null, z.unknown()),
  errorMessage: message,
  userFacingErrorMessage: message,
});

const IntermediateOutput = z.object({ taskId, output: outputValues });

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
    @Input(TaskProgress) { taskId, progress }: In<typeof TaskProgress>,
  ) {
    return { task: toTaskJson(await this.reports.progress(appId, taskId, progress)) };
  }

  @Post(':taskId/result', 'Reports the result of a task.', ProcessingTaskAnswer)
  async result(
    @CallingExApp() { appId }: CallingApp,
    @Input(TaskResult) report: In<typeof TaskResult>,
  ) {
    const { taskId, output, errorMessage, userFacingErrorMessage } = report;
    const end = { output, error: errorMessage, userError: userFacingErrorMessage };
    return { task: toTaskJson(await this.reports.end(appId, taskId, end)) };
  }

  @Post(':taskId/stream-result', 'Reports what there is of a result.', ProcessingTaskAnswer)
  async streamResult(
    @CallingExApp() { appId }: CallingApp,
    @Input(IntermediateOutput) { taskId, output }: In<typeof IntermediateOutput>,
  ) {
    return { task: toTaskJson(await this.reports.stream(appId, taskId, output)) };
  }
}
