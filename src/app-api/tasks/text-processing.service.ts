import { Injectable } from '@nestjs/common';
import { TextProcessing, type TextTask } from '../../common/ports/text-processing.js';
import type { Account } from '../../common/ports/user-directory.js';
import { TEXT_PROCESSING_PROVIDER } from '../capabilities/providers.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import type { Task } from './tasks.sql.js';
import { NoProvider } from './tasks.errors.js';
import { TasksService, type Assignment } from './tasks.service.js';

/** Nobody waits for scheduled tasks, and language models are slow on small machines. */
const SCHEDULED_SECONDS = 3600;

/** Text processing by external apps. */
@Injectable()
export class TextProcessingService extends TextProcessing {
  constructor(
    private readonly tasks: TasksService,
    private readonly registrations: RegistrationsRepository,
  ) {
    super();
  }

  override async taskTypes(): Promise<TextTask[]> {
    const providers = await this.registrations.ofReachableAppsFirst(TEXT_PROCESSING_PROVIDER);
    return [...new Set(providers.map(({ fields }) => fields.taskType))];
  }

  override async processText(account: Account, type: TextTask, prompt: string): Promise<string> {
    return this.tasks.run(await this.#assignment(account, type, prompt));
  }

  /**
   * Schedules a task without waiting for it.
   *
   * @param note returned to the caller with the task
   * @throws NoProvider
   * @throws TooManyTasks
   */
  async schedule(
    account: Account,
    { type, prompt }: { readonly type: TextTask; readonly prompt: string },
    note: Task['note'],
  ): Promise<Task> {
    const assignment = await this.#assignment(account, type, prompt);
    return this.tasks.schedule({
      ...assignment,
      note: { ...assignment.note, ...note },
      maxSeconds: SCHEDULED_SECONDS,
    });
  }

  async #assignment(account: Account, type: TextTask, prompt: string): Promise<Assignment> {
    const providers = await this.registrations.ofReachableAppsFirst(TEXT_PROCESSING_PROVIDER);
    const provider = providers.find(({ fields }) => fields.taskType === type);
    if (provider === undefined) {
      throw new NoProvider(`No external app provides text processing of the type "${type}".`);
    }
    return {
      kind: 'text_processing',
      provider,
      userId: account.userId,
      input: { prompt },
      note: { type },
    };
  }
}
