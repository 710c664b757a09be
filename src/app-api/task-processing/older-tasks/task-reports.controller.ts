import { z } from 'zod';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Put } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { OcsGatewayController } from '../../apps/access/ocs-gateway-controller.decorator.js';
import type { OlderKind } from '../types/older-kinds.js';
import { OlderTasks } from './older-tasks.service.js';
import { looseText, taskId, text } from './task.wire.js';

const percentage = z.coerce
  .number({ error: 'must be a number from 0 to 100' })
  .min(0, 'must be a number from 0 to 100')
  .max(100, 'must be a number from 0 to 100')
  .transform(Math.floor);

/** Accepts both spellings of the id. With `progress` and no result the task is not finished. */
const Report = z
  .object({
    taskId: taskId.optional(),
    task_id: taskId.optional(),
    progress: z.preprocess((value) => value ?? undefined, percentage.optional()),
    result: z.preprocess((value) => value ?? undefined, text.optional()),
    error: looseText,
  })
  .transform((input, context) => {
    const id = input.taskId ?? input.task_id;
    if (id === undefined) {
      context.issues.push({ code: 'custom', path: ['taskId'], input, message: 'is missing' });
      return z.NEVER;
    }
    const { progress, result, error } = input;
    const isOver = progress === undefined || result !== undefined || error !== '';
    return { taskId: id, progress: isOver ? null : progress, result: result ?? '', error };
  });

/** Receives progress and results from providers. */
@TakesLargeBodies()
@OcsGatewayController('apps/app_api/api/v1')
export class TaskReportsController {
  constructor(private readonly tasks: OlderTasks) {}

  @Put('ai_provider/translation', 'Reports progress or result of a translation.', 'nothing')
  async translated(@CallingExApp() app: CallingApp, @Input(Report) report: In<typeof Report>) {
    await this.#take(app, 'translation', report);
  }

  @Put('ai_provider/text_processing', 'Reports progress or result of text processing.', 'nothing')
  async textProcessed(@CallingExApp() app: CallingApp, @Input(Report) report: In<typeof Report>) {
    await this.#take(app, 'text_processing', report);
  }

  @Put(
    ['ai_provider/speech_to_text', 'provider/speech_to_text'],
    'Reports progress or result of a transcript.',
    'nothing',
  )
  async transcribed(@CallingExApp() app: CallingApp, @Input(Report) report: In<typeof Report>) {
    await this.#take(app, 'speech_to_text', report);
  }

  async #take({ appId }: CallingApp, kind: OlderKind, report: In<typeof Report>): Promise<void> {
    const { taskId, progress } = report;
    if (progress === null) {
      await this.tasks.report(appId, kind, taskId, report);
      return;
    }
    await this.tasks.reportProgress(appId, kind, taskId, progress / 100);
  }
}
