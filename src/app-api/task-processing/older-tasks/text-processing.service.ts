import { Injectable } from '@nestjs/common';
import type { Patience } from '../../../common/ports/patience.js';
import { TextProcessingOffer, type TextTask } from '../../../common/ports/text-processing.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import type { ProcessingTask } from '../queue/processing-task.entity.js';
import { NoProvider } from '../task-processing.errors.js';
import { TYPE_OF_TEXT } from '../types/older-kinds.js';
import { OlderTasks, type OlderNote, type Work } from './older-tasks.service.js';
import { TEXT_PROCESSING_PROVIDER } from './providers.js';

/** Text processing by external apps: by task processing if it has a provider. */
@Injectable()
export class TextProcessingService {
  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly tasks: OlderTasks,
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
    const fetched = types.filter((type) => available.has(TYPE_OF_TEXT[type]));
    return [...new Set([...fetched, ...providers.map(({ fields }) => fields.taskType)])];
  }

  async processText(
    account: Account,
    type: TextTask,
    prompt: string,
    patience?: Patience,
  ): Promise<string> {
    return this.tasks.run(await this.#work(account, type, prompt), patience);
  }

  /**
   * Schedules a task without waiting for it.
   *
   * @throws NoProvider
   */
  async schedule(
    account: Account,
    { type, prompt }: { readonly type: TextTask; readonly prompt: string },
    note: OlderNote,
  ): Promise<ProcessingTask> {
    return this.tasks.schedule(await this.#work(account, type, prompt), note);
  }

  async #work({ userId }: Account, type: TextTask, prompt: string): Promise<Work> {
    const typeId = TYPE_OF_TEXT[type];
    if ((await this.catalogue.available()).has(typeId)) {
      return { typeId, userId, input: { input: prompt } };
    }
    const providers = await this.registrations.ofReachableAppsFirst(TEXT_PROCESSING_PROVIDER);
    const provider = providers.find(({ fields }) => fields.taskType === type);
    if (provider === undefined) {
      throw new NoProvider(`No external app provides text processing of the type "${type}".`);
    }
    return { typeId, userId, input: { prompt }, provider };
  }
}
