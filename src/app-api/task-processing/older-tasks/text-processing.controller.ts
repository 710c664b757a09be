import { z } from 'zod';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { OcsFailure } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { TEXT_TASK_TYPES } from '../../administration/gateway.capabilities.js';
import type { ProcessingTask } from '../queue/processing-task.entity.js';
import { NoProvider } from '../task-processing.errors.js';
import { TYPE_OF_TEXT } from '../types/older-kinds.js';
import { OlderTasks } from './older-tasks.service.js';
import type { TextTaskType } from './providers.js';
import { looseText, OwnTasks, taskFields, TaskPath, toTaskJson } from './task.wire.js';
import { TextProcessingService } from './text-processing.service.js';

/** The names that Nextcloud clients use. */
const CLASS_OF_TYPE: Readonly<Record<TextTaskType, string>> = {
  free_prompt: String.raw`OCP\TextProcessing\FreePromptTaskType`,
  headline: String.raw`OCP\TextProcessing\HeadlineTaskType`,
  summary: String.raw`OCP\TextProcessing\SummaryTaskType`,
  topics: String.raw`OCP\TextProcessing\TopicsTaskType`,
};

const TYPE_OF_CLASS = new Map<string, string>(
  Object.entries(CLASS_OF_TYPE).map(([type, className]) => [className, type]),
);

const CLASS_OF_TYPE_ID = new Map<string, string>(
  Object.entries(TYPE_OF_TEXT).map(([type, id]) => [id, CLASS_OF_TYPE[type as TextTaskType]]),
);

const ScheduleText = z.object({
  input: z.string({ error: 'must be a text' }),
  type: z.preprocess(
    (value) => (typeof value === 'string' ? (TYPE_OF_CLASS.get(value) ?? value) : value),
    z.enum(TEXT_TASK_TYPES, { error: `must be one of ${TEXT_TASK_TYPES.join(', ')}` }),
  ),
  appId: looseText,
  identifier: looseText,
});
type ScheduleText = z.output<typeof ScheduleText>;

const TextTaskSchema = z
  .object({ ...taskFields, type: z.string(), input: z.unknown() })
  .meta({ id: 'TextTask' });

const TextTaskAnswer = z.object({ task: TextTaskSchema });

const TextTasksAnswer = z.object({ tasks: z.array(TextTaskSchema) });

const TextTaskTypesAnswer = z.object({
  types: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
});

const KIND = 'text_processing';

const NAMES: Readonly<Record<TextTaskType, string>> = {
  free_prompt: 'Free prompt',
  headline: 'Generate headline',
  summary: 'Summarize',
  topics: 'Extract topics',
};

/** Text processing for users, with the API of Nextcloud. */
@TakesLargeBodies()
@OcsController('textprocessing')
export class TextProcessingController {
  constructor(
    private readonly texts: TextProcessingService,
    private readonly tasks: OlderTasks,
  ) {}

  @Get('tasktypes', 'Lists what can be done with texts.', TextTaskTypesAnswer)
  async taskTypes() {
    const types = await this.texts.taskTypes();
    return {
      types: types.map((type) => ({
        id: CLASS_OF_TYPE[type],
        name: NAMES[type],
        description: '',
      })),
    };
  }

  @Post('schedule', 'Schedules a task.', TextTaskAnswer)
  async schedule(@CurrentUser() account: Account, @Input(ScheduleText) input: ScheduleText) {
    try {
      const { type, appId, identifier } = input;
      const work = { type, prompt: input.input };
      const task = await this.texts.schedule(account, work, { appId, identifier });
      return { task: toTextTaskJson(task) };
    } catch (error) {
      throw error instanceof NoProvider ? new OcsFailure(412, error.message) : error;
    }
  }

  @Get('task/:id', 'Shows a task.', TextTaskAnswer)
  async show(@CurrentUser() account: Account, @Input(TaskPath) { id }: In<typeof TaskPath>) {
    return { task: toTextTaskJson(await this.tasks.find(account.userId, KIND, id)) };
  }

  @Delete('task/:id', 'Removes a task.', TextTaskAnswer)
  async remove(@CurrentUser() account: Account, @Input(TaskPath) { id }: In<typeof TaskPath>) {
    return { task: toTextTaskJson(await this.tasks.remove(account.userId, KIND, id)) };
  }

  /** Newest first. */
  @InTurn()
  @Get(['tasks', 'tasks/app/:appId'], 'Lists the tasks of the caller.', TextTasksAnswer)
  async list(@CurrentUser() { userId }: Account, @Input(OwnTasks) own: In<typeof OwnTasks>) {
    const tasks = await this.tasks.list(userId, KIND, own);
    return { tasks: tasks.map(toTextTaskJson) };
  }
}

function toTextTaskJson(task: ProcessingTask) {
  return {
    ...toTaskJson(task),
    type: CLASS_OF_TYPE_ID.get(task.type) ?? task.type,
    input: task.input[task.calledAppId === null ? 'input' : 'prompt'],
  };
}
