import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { OcsFailure } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import type { TextTaskType } from './providers.js';
import type { Task } from './tasks.repository.js';
import { NoProvider } from '../tasks.errors.js';
import { TasksService } from './tasks.service.js';
import { TextProcessingService } from './text-processing.service.js';
import { CLASS_OF_TYPE, OwnTasks, ScheduleText, TaskPath } from './task.input.js';
import { toTaskJson, TextTaskTypesAnswer, TextTaskAnswer, TextTasksAnswer } from './task.wire.js';

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
    private readonly tasks: TasksService,
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
  async show(@CurrentUser() account: Account, @Input(TaskPath) { id }: TaskPath) {
    return { task: toTextTaskJson(await this.tasks.find(account.userId, KIND, id)) };
  }

  @Delete('task/:id', 'Removes a task.', TextTaskAnswer)
  async remove(@CurrentUser() account: Account, @Input(TaskPath) { id }: TaskPath) {
    return { task: toTextTaskJson(await this.tasks.remove(account.userId, KIND, id)) };
  }

  /** Newest first. */
  @Get(['tasks', 'tasks/app/:appId'], 'Lists the tasks of the caller.', TextTasksAnswer)
  async list(@CurrentUser() { userId }: Account, @Input(OwnTasks) own: OwnTasks) {
    const tasks = await this.tasks.list({ userId, kind: KIND, ...own });
    return { tasks: tasks.map(toTextTaskJson) };
  }
}

function toTextTaskJson(task: Task) {
  return {
    ...toTaskJson(task),
    type: CLASS_OF_TYPE[task.note['type'] as TextTaskType],
    input: task.input['prompt'],
  };
}
