import { Injectable } from '@nestjs/common';
import type { Patience } from '../../../common/ports/patience.js';
import { TextProcessingOffer, type TextTask } from '../../../common/ports/text-processing.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { TEXT_PROCESSING_PROVIDER } from './providers.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import { OlderTasks } from './older-tasks.service.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import type { Task } from './tasks.repository.js';
import { NoProvider } from '../task-processing.errors.js';
import { TasksService, type Assignment } from './tasks.service.js';

/** The ids of their task types. */
const TYPE_OF_TEXT: Readonly<Record<TextTask, string>> = {
  free_prompt: 'core:text2text',
  headline: 'core:text2text:headline',
  summary: 'core:text2text:summary',
  topics: 'core:text2text:topics',
};

/** No caller waits for scheduled tasks, and language models are slow on small machines. */
const SCHEDULED_SECONDS = 3600;

/** Text processing by external apps: by task processing if it has a provider. */
@Injectable()
export class TextProcessingService {
  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly older: OlderTasks,
    private readonly tasks: TasksService,
    private readonly registrations: RegistrationsRepository,
    offer: TextProcessingOffer,
  ) {
    offer.fill(this);
  }

  async taskTypes(): Promise<TextTask[]> {
    const [available, providers] = await Promise.all([
      this.catalogue.available(),
      this.registrations.ofReachableAppsFirst(TEXT_PROCESSING_PROVIDER),
    ]);
    const types = Object.keys(TYPE_OF_TEXT) as TextTask[];
    const pulled = types.filter((type) => available.has(TYPE_OF_TEXT[type]));
    return [...new Set([...pulled, ...providers.map(({ fields }) => fields.taskType)])];
  }

  async processText(
    account: Account,
    type: TextTask,
    prompt: string,
    patience?: Patience,
  ): Promise<string> {
    if (await this.#isPulled(type)) {
      const request = { typeId: TYPE_OF_TEXT[type], input: { input: prompt } };
      return this.older.run(account, request, patience);
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
    if (await this.#isPulled(type)) {
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

  /** Whether task processing has a provider. */
  async #isPulled(type: TextTask): Promise<boolean> {
    return (await this.catalogue.available()).has(TYPE_OF_TEXT[type]);
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
