import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ExAppUnreachable } from '../../app-api.errors.js';
import { ExAppClient } from '../../apps/client/ex-app-client.service.js';
import { ExAppsRepository } from '../../apps/ex-apps.repository.js';
import { TaskCatalogue, type TaskProvider } from '../providers/task-catalogue.service.js';

const GAP_MS = 1000;
const RETRY_MS = 2000;
const TIMEOUT_SECONDS = 5;
const NOT_FOUND = 404;

/**
 * Notifies apps of a waiting task (`POST /trigger?providerId=`), at most once a second per provider. Apps
 * poll less often after the first notification, so every task is notified. Best effort: the sweep of the
 * queue repeats it for tasks that keep waiting.
 */
@Injectable()
export class TaskTriggers implements BeforeApplicationShutdown {
  // Keyed by provider id, so bounded by the number of registered providers.
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  readonly #latestMs = new Map<string, number>();
  /** Left alone until the catalogue is read again: then apps may have another version. */
  readonly #withoutHandler = new WeakSet<TaskProvider>();
  #isStopped = false;

  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly apps: ExAppsRepository,
    private readonly client: ExAppClient,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Notifies the provider of a type, now or within a second. Does not wait. */
  pull(type: string): void {
    // Commands start no web server, and end at once.
    if (this.http?.httpAdapter) {
      void this.#pull(type).catch(() => {});
    }
  }

  beforeApplicationShutdown(): void {
    this.#isStopped = true;
    for (const timer of this.#waiting.values()) {
      clearTimeout(timer);
    }
  }

  async #pull(type: string): Promise<void> {
    const provider = (await this.catalogue.available()).get(type)?.provider;
    const now = performance.now();
    if (provider === undefined || this.#isStopped || this.#withoutHandler.has(provider)) {
      return;
    }
    if (this.#waiting.has(provider.id)) {
      return;
    }
    const dueMs = (this.#latestMs.get(provider.id) ?? -GAP_MS) + GAP_MS;
    this.#tellAfter(Math.max(0, dueMs - now), provider, true);
  }

  #tellAfter(delayMs: number, provider: TaskProvider, mayRetry: boolean): void {
    const { id } = provider;
    const timer = setTimeout(() => {
      this.#waiting.delete(id);
      this.#latestMs.set(id, performance.now());
      // Best effort.
      void this.#tell(provider, mayRetry).catch(() => {});
    }, delayMs).unref();
    this.#waiting.set(id, timer);
  }

  async #tell(provider: TaskProvider, mayRetry: boolean): Promise<void> {
    const { id, appId } = provider;
    const app = await this.apps.find(appId);
    if (this.#isStopped || !app?.enabled) {
      return;
    }
    try {
      const status = await this.client.tell(app, {
        method: 'POST',
        route: 'trigger',
        query: { providerId: id },
        timeoutSeconds: TIMEOUT_SECONDS,
      });
      if (status === NOT_FOUND) {
        this.#withoutHandler.add(provider);
      }
    } catch (error) {
      if (error instanceof ExAppUnreachable && mayRetry && !this.#waiting.has(id)) {
        this.#tellAfter(RETRY_MS, provider, false);
      }
    }
  }
}
