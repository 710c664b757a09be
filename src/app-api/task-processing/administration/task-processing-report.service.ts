import { Injectable } from '@nestjs/common';
import { ExAppUnreachable } from '../../app-api.errors.js';
import { ExAppClient } from '../../apps/client/ex-app-client.service.js';
import { ExAppsRepository, type ExApp } from '../../apps/ex-apps.repository.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { TASK_PROVIDER } from '../providers/task-provider.js';
import { WatchedTasksRepository, type WatchedTask } from './watched-tasks.repository.js';

/**
 * Why a provider gets tasks, or none: `unknown-type` and `same-id` (another app has registered its id
 * before) until the app registers it otherwise.
 */
type ProviderStanding = 'preferred' | WhyIdle;

type WhyIdle = 'not-preferred' | 'switched-off' | 'app-disabled' | 'unknown-type' | 'same-id';

/** Current state of a provider of an app. */
export interface ReportedProvider {
  readonly id: string;
  readonly typeId: string;
  readonly standing: ProviderStanding;
  /** The provider that gets the tasks, or the app that has the id; empty otherwise. */
  readonly instead: string;
  /** Scheduled tasks that wait for this provider. */
  readonly scheduled: number;
  /** Age of the oldest of them; null without one. */
  readonly oldestSeconds: number | null;
}

/** Task processing of one app, for finding a fault. */
export interface TaskProcessingReport {
  readonly providers: readonly ReportedProvider[];
  /** Unix seconds at which the app last asked for tasks, to within 30 seconds; null if never. */
  readonly askedSeconds: number | null;
  /** Newest first, like the next field. */
  readonly running: readonly WatchedTask[];
  readonly failed: readonly WatchedTask[];
  /** The answer to `POST /trigger`; null without a provider that receives triggers. */
  readonly trigger: { readonly status: number | null; readonly error: string } | null;
}

const MOST_TASKS = 5;

/** Examines the task processing of an app. */
@Injectable()
export class TaskProcessingReports {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly catalogue: TaskCatalogue,
    private readonly watched: WatchedTasksRepository,
    private readonly client: ExAppClient,
  ) {}

  /** Calls the app's `/trigger`, as for a waiting task. @returns null for an app without a provider */
  async examine(appId: string): Promise<TaskProcessingReport | null> {
    const [app, own, running, failed] = await Promise.all([
      this.apps.find(appId),
      this.registrations.ofApp(appId, TASK_PROVIDER),
      this.watched.ofApp(appId, 'running', MOST_TASKS),
      this.watched.ofApp(appId, 'failed', MOST_TASKS),
    ]);
    if (app === null || (own.length === 0 && running.length === 0 && failed.length === 0)) {
      return null;
    }
    const providers = await this.#providers(
      app,
      own.map(({ fields }) => ({ id: fields.provider.id, typeId: fields.provider.task_type })),
    );
    const told = providers.find(({ standing }) => standing === 'preferred');
    const trigger = told === undefined ? null : await this.#trigger(app, told.id);
    return { providers, askedSeconds: app.tasksAskedSeconds, running, failed, trigger };
  }

  async #providers(
    { appId, enabled }: ExApp,
    own: readonly { readonly id: string; readonly typeId: string }[],
  ): Promise<ReportedProvider[]> {
    const [types, figures] = await Promise.all([this.catalogue.all(), this.watched.figures()]);
    const known = new Map(types.map((type) => [type.type.id, type]));
    const owners = new Map(
      types.flatMap(({ providers }) => providers.map(({ id, appId: owner }) => [id, owner])),
    );
    return own.map(({ id, typeId }) => {
      const type = known.get(typeId);
      const idle = { id, typeId, instead: '', scheduled: 0, oldestSeconds: null };
      const owner = owners.get(id);
      if (!enabled) {
        return { ...idle, standing: 'app-disabled' };
      }
      if (owner !== undefined && owner !== appId) {
        return { ...idle, standing: 'same-id', instead: owner };
      }
      if (type === undefined) {
        return { ...idle, standing: 'unknown-type' };
      }
      if (type.preferred?.id !== id) {
        return { ...idle, standing: 'not-preferred', instead: type.preferred?.id ?? '' };
      }
      const { scheduled = 0, oldestSeconds = null } = figures.get(typeId) ?? {};
      const standing = type.enabled ? 'preferred' : 'switched-off';
      return { ...idle, standing, scheduled, oldestSeconds };
    });
  }

  async #trigger(app: ExApp, providerId: string): Promise<TaskProcessingReport['trigger']> {
    try {
      const query = { providerId };
      const status = await this.client.tell(app, { method: 'POST', route: 'trigger', query });
      return { status, error: '' };
    } catch (error) {
      if (error instanceof ExAppUnreachable) {
        return { status: null, error: error.message };
      }
      throw error;
    }
  }
}
