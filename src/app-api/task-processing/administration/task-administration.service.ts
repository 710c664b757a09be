import { Injectable } from '@nestjs/common';
import { AdministrationLog } from '../../../common/ports/administration-log.js';
import {
  TaskCatalogue,
  type KnownType,
  type TaskProvider,
} from '../providers/task-catalogue.service.js';
import { TaskTypeSettingsRepository } from '../providers/task-type-settings.repository.js';
import type { ProcessingState } from '../queue/processing-task.entity.js';
import { ProcessingTasksRepository } from '../queue/processing-tasks.repository.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import {
  ProcessingTaskNotFound,
  ProviderNotOfType,
  TaskTypeNotFound,
} from '../task-processing.errors.js';
import {
  WatchedTasksRepository,
  type TypeFigures,
  type WatchedTask,
  type WatchedTaskFilter,
} from './watched-tasks.repository.js';

/** A task type with its settings, its providers and its current figures. */
export interface AdministeredType extends Omit<KnownType, 'providers'>, Omit<TypeFigures, 'type'> {
  /** The provider that an administrator chose, even if it is not there now; null: the first one. */
  readonly chosenId: string | null;
  /** Oldest registration first. */
  readonly providers: readonly AdministeredProvider[];
}

export interface AdministeredProvider extends TaskProvider {
  /** Unix seconds. */
  readonly registeredSeconds: number;
}

/** Absent: unchanged. */
export interface TypeChange {
  readonly enabled?: boolean | undefined;
  /** Null: the provider that was registered first. */
  readonly providerId?: string | null | undefined;
}

const NOTHING = {
  scheduled: 0,
  running: 0,
  oldestSeconds: null,
  successful: 0,
  failed: 0,
  meanSeconds: null,
};

/** Task processing for administrators and operators: settings of types, and the tasks of all users. */
@Injectable()
export class TaskAdministration {
  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly settings: TaskTypeSettingsRepository,
    private readonly watched: WatchedTasksRepository,
    private readonly tasks: ProcessingTasksRepository,
    private readonly queue: TaskQueue,
    private readonly log: AdministrationLog,
  ) {}

  /** Built-in types, then types that providers registered. */
  async types(): Promise<AdministeredType[]> {
    const [known, settings, figures, registrations] = await Promise.all([
      this.catalogue.all(),
      this.settings.all(),
      this.watched.figures(),
      this.watched.providerRegistrations(),
    ]);
    const registeredAt = new Map(
      registrations.map(({ appId, providerId, atSeconds }) => [
        JSON.stringify([appId, providerId]),
        atSeconds,
      ]),
    );
    return known.map((type) => ({
      ...NOTHING,
      ...figures.get(type.type.id),
      ...type,
      chosenId: settings.get(type.type.id)?.providerId ?? null,
      providers: type.providers.map((provider) => ({
        ...provider,
        registeredSeconds: registeredAt.get(JSON.stringify([provider.appId, provider.id])) ?? 0,
      })),
    }));
  }

  /**
   * Changes the settings of a type, at once for all processes. Running tasks continue; scheduled ones of a
   * disabled type wait until it is enabled again, or fail at their deadline.
   *
   * @throws TaskTypeNotFound, ProviderNotOfType
   */
  async change(typeId: string, { enabled, providerId }: TypeChange): Promise<AdministeredType> {
    const before = await this.#type(typeId);
    if (providerId && !before.providers.some(({ id }) => id === providerId)) {
      throw new ProviderNotOfType(providerId, typeId);
    }
    const setting = {
      enabled: enabled ?? before.enabled,
      providerId: providerId === undefined ? before.chosenId : providerId,
    };
    await this.settings.save(typeId, setting);
    if (setting.enabled !== before.enabled) {
      await this.#record('task type', typeId, setting.enabled ? 'switched on' : 'switched off');
    }
    if (setting.providerId !== before.chosenId) {
      const previous = before.chosenId ?? 'the first registered app';
      const now = setting.providerId ?? 'the first registered app';
      await this.#record('task type', typeId, `provider: ${previous} → ${now}`);
    }
    if (setting.enabled && before.scheduled > 0) {
      this.queue.announce({ type: typeId });
    }
    return this.#type(typeId);
  }

  /** Tasks of all users, newest first. `total` counts all pages. */
  async list(
    filter: WatchedTaskFilter,
    limit: number,
    offset: number,
  ): Promise<{ readonly total: number; readonly tasks: readonly WatchedTask[] }> {
    await this.queue.failOverdue();
    const [total, tasks] = await Promise.all([
      this.watched.count(filter),
      this.watched.list(filter, limit, offset),
    ]);
    return { total, tasks };
  }

  async counts(): Promise<Readonly<Record<Exclude<ProcessingState, 'uploading'>, number>>> {
    const none = { scheduled: 0, running: 0, successful: 0, failed: 0, cancelled: 0 };
    return { ...none, ...(await this.watched.countByState()) };
  }

  /** Tasks that the older routes know. */
  async olderCounts(): Promise<Readonly<Record<'queued' | 'running' | 'done' | 'failed', number>>> {
    await this.queue.failOverdue();
    return this.watched.countOlder();
  }

  /**
   * Cancels an unfinished task of any user; an ended one is unchanged.
   *
   * @returns whether it was unfinished
   * @throws ProcessingTaskNotFound
   */
  async cancel(id: number): Promise<boolean> {
    const before = await this.tasks.find(id);
    if (before === null || before.calledAppId !== null) {
      throw new ProcessingTaskNotFound(id);
    }
    await this.queue.cancel(id);
    const isCancelled =
      before.endedSeconds === null && (await this.tasks.find(id))?.state === 'cancelled';
    if (isCancelled) {
      await this.#record('task', String(id), `cancelled, of the type ${before.type}`);
    }
    return isCancelled;
  }

  /**
   * Cancels all scheduled tasks of a type, not the running ones.
   *
   * @returns their number
   */
  async cancelScheduled(typeId: string): Promise<number> {
    const cancelled = await this.queue.cancelScheduled(typeId);
    if (cancelled > 0) {
      await this.#record('task type', typeId, `cancelled ${cancelled} scheduled tasks`);
    }
    return cancelled;
  }

  async #record(kind: 'task' | 'task type', id: string, details: string): Promise<void> {
    await this.log.record({ kind: 'tasks_changed', subject: { kind, id }, details });
  }

  async #type(typeId: string): Promise<AdministeredType> {
    return TaskTypeNotFound.unless(
      (await this.types()).find((known) => known.type.id === typeId),
      typeId,
    );
  }
}
