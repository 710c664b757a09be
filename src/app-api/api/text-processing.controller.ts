import { Get, Post } from '@nestjs/common';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { Input } from '../../common/http/input.decorator.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import type { TextTaskType } from '../registration-fields.js';
import type { Task } from '../store/tasks.repository.js';
import { NoProvider } from '../tasks.errors.js';
import { TasksService } from '../tasks.service.js';
import { TextProcessingService } from '../text-processing.service.js';
import { CLASS_OF_TYPE, ScheduleText, TaskPath } from './task-inputs.js';

const STATUS_OF_STATE = { running: 2, done: 3, failed: 4 } as const;

const NAMES: Readonly<Record<TextTaskType, string>> = {
  free_prompt: 'Free prompt',
  headline: 'Generate headline',
  summary: 'Summarize',
  topics: 'Extract topics',
};

/** Text processing for users, as clients of the host know it. */
@OcsController('textprocessing')
export class TextProcessingController {
  constructor(
    private readonly texts: TextProcessingService,
    private readonly tasks: TasksService,
  ) {}

  @Get('tasktypes')
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

  @Post('schedule')
  async schedule(@CurrentUser() account: Account, @Input(ScheduleText) input: ScheduleText) {
    try {
      const { type, appId, identifier } = input;
      const task = await this.texts.schedule(
        account,
        { type, prompt: input.input },
        {
          appId,
          identifier,
        },
      );
      return { task: toTaskJson(task) };
    } catch (error) {
      throw error instanceof NoProvider ? new OcsFailure(412, error.message) : error;
    }
  }

  @Get('task/:id')
  async show(@CurrentUser() account: Account, @Input(TaskPath) { id }: TaskPath) {
    return { task: toTaskJson(await this.tasks.find(account.userId, 'text_processing', id)) };
  }
}

function toTaskJson(task: Task) {
  const { type, appId, identifier } = task.note;
  return {
    id: task.id,
    type: CLASS_OF_TYPE[type as TextTaskType],
    status: STATUS_OF_STATE[task.state],
    userId: task.userId,
    appId,
    input: task.input['prompt'],
    output: task.state === 'done' ? task.result : null,
    identifier,
    completionExpectedAt: null,
  };
}
