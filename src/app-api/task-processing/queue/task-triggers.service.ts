import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { ExAppUnreachable } from '../../app-api.errors.js';
import { ExAppsRepository } from '../../apps/ex-apps.repository.js';
import { ExAppClient } from '../../client/ex-app-client.js';
import { TaskCatalogue, type TaskProvider } from '../providers/task-catalogue.service.js';

const GAP_MS = 1000;
const TRIES = 3;
/** An app without the route is left alone for this time. */
const WITHOUT_ROUTE_MS = 10 * 60_000;
const NOT_FOUND = 404;

/**
 * Tells apps that a task waits for them: `POST /trigger?providerId=ID`. After the first one, apps ask
 * rarely by themselves, so every scheduled task triggers; at most once a second for each type.
 *
 * @see docs/app-api.md "Task processing"
 */
@Injectable()
export class TaskTriggers implements BeforeApplicationShutdown {
  readonly #logger = new Logger('TaskTriggers');
  readonly #stop = new AbortController();
  /** Types with a trigger under way, and whether another one has to follow. */
  readonly #underWay = new Map<string, { again: boolean }>();
  readonly #running = new Set<Promise<void>>();
  /** By app. */
  readonly #withoutRouteUntilMs = new Map<string, number>();

  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly apps: ExAppsRepository,
    private readonly client: ExAppClient,
  ) {}

  /** Tells the preferred provider of a type, in the background. Call after the commit. */
  trigger(type: string): void {
    const underWay = this.#underWay.get(type);
    if (underWay !== undefined) {
      underWay.again = true;
      return;
    }
    if (!this.#stop.signal.aborted) {
      const running = this.#triggerUntilDone(type);
      this.#running.add(running);
      void running.finally(() => this.#running.delete(running));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #triggerUntilDone(type: string): Promise<void> {
    const state = { again: true };
    this.#underWay.set(type, state);
    try {
      while (state.again) {
        state.again = false;
        await this.#tellProvider(type);
        await delay(GAP_MS, undefined, { signal: this.#stop.signal, ref: false });
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        this.#logger.debug(`tasks of the type ${type}: ${(error as Error).message}`);
      }
    } finally {
      this.#underWay.delete(type);
    }
  }

  async #tellProvider(type: string): Promise<void> {
    const provider = (await this.catalogue.available()).get(type)?.provider;
    const until = provider && this.#withoutRouteUntilMs.get(provider.appId);
    if (provider !== undefined && (until === undefined || performance.now() >= until)) {
      await this.#tell(provider);
    }
  }

  /** A failure is no matter: the app asks by itself from time to time. */
  async #tell({ id: providerId, appId }: TaskProvider): Promise<void> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const app = await this.apps.find(appId);
      if (!app?.enabled) {
        return;
      }
      const { signal } = this.#stop;
      const request = { method: 'POST', route: 'trigger', query: { providerId }, signal } as const;
      try {
        if ((await this.client.tell(app, request)) === NOT_FOUND) {
          this.#withoutRouteUntilMs.set(appId, performance.now() + WITHOUT_ROUTE_MS);
        } else {
          this.#withoutRouteUntilMs.delete(appId);
        }
        return;
      } catch (error) {
        if (!(error instanceof ExAppUnreachable)) {
          throw error;
        }
        await delay(GAP_MS, undefined, { signal, ref: false });
      }
    }
  }
}
