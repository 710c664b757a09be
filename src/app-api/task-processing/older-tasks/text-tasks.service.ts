import { Injectable } from '@nestjs/common';
import type { Patience } from '../../../common/ports/patience.js';
import type { TextTask } from '../../../common/ports/text-processing.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { TaskScheduler } from '../consumers/task-scheduler.service.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { textOf } from './text-of-output.js';

/** The ids of their task types. */
export const TYPE_OF_TEXT: Readonly<Record<TextTask, string>> = {
  free_prompt: 'core:text2text',
  headline: 'core:text2text:headline',
  summary: 'core:text2text:summary',
  topics: 'core:text2text:topics',
};

/** Texts by task processing. */
@Injectable()
export class TextTasks {
  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly scheduler: TaskScheduler,
  ) {}

  /** Those that have a provider. */
  async types(): Promise<TextTask[]> {
    const available = await this.catalogue.available();
    const types = Object.keys(TYPE_OF_TEXT) as TextTask[];
    return types.filter((type) => available.has(TYPE_OF_TEXT[type]));
  }

  /**
   * Schedules a task and waits for its text.
   *
   * @throws TaskFailed, TaskTypeUnavailable; the reason of `patience.signal`
   */
  async run(
    { userId }: Account,
    type: TextTask,
    prompt: string,
    patience: Patience = {},
  ): Promise<string> {
    const request = { typeId: TYPE_OF_TEXT[type], input: { input: prompt }, userId };
    return textOf(await this.scheduler.run({ ...request, consumer: 'gatefold' }, patience));
  }
}
