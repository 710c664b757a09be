import { Injectable } from '@nestjs/common';
import type { Patience } from '../../../common/ports/patience.js';
import { TextProcessingOffer, type TextTask } from '../../../common/ports/text-processing.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { TEXT_PROCESSING_PROVIDER } from './providers.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import { OlderTasks } from './older-tasks.service.js';
import { TextTasks, TYPE_OF_TEXT } from './text-tasks.service.js';
import type { Task } from './tasks.repository.js';
import { NoProvider } from '../tasks.errors.js';
import { TasksService, type Assignment } from './tasks.service.js';

/** Nobody waits for scheduled tasks, and language models are slow on small machines. */
const SCHEDULED_SECONDS = 3600;

/** Text processing by external apps: by task processing if it has a provider. */
@Injectable()
export class TextProcessingService {
  constructor(
    private readonly pulled: TextTasks,
    private readonly older: OlderTasks,
    private readonly tasks: TasksService,
    private readonly registrations: RegistrationsRepository,
    offer: TextProcessingOffer,
  ) {
    offer.fill(this);
  }

  async taskTypes(): Promise<TextTask[]> {
    const [pulled, providers] = await Promise.all([
      this.pulled.types(),
      this.registrations.ofReachableAppsFirst(TEXT_PROCESSING_PROVIDER),
    ]);
    return [...new Set([...pulled, ...providers.map(({ fields }) => fields.taskType)])];
  }

  async processText(
    account: Account,
    type: TextTask,
    prompt: string,
    patience?: Patience,
  ): Promise<string> {
    if ((await this.pulled.types()).includes(type)) {
      return this.pulled.run(account, type, prompt, patience);
    }
    return this.tasks.run(await this.#assignment(account, type, prompt), patience);
  }

  /**
   * Schedules a task without waiting for it.
   *
   * @param note returned to the caller with the task
   * @throws NoProvider
   */
  async schedule(
    account: Account,
    { type, prompt }: { readonly type: TextTask; readonly prompt: string },
    note: Task['note'],
  ): Promise<Task> {
    if ((await this.pulled.types()).includes(type)) {
      const { userId } = account;
      return this.older.schedule(
        { kind: 'text_processing', userId, input: { prompt }, note: { ...note, type } },
        { typeId: TYPE_OF_TEXT[type], input: { input: prompt } },
      );
    }
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
