import { Injectable } from '@nestjs/common';
import { AccessChanges } from '../../../common/ports/access-changes.js';
import { ExAppNotFound, ExAppUnreachable } from '../../app-api.errors.js';
import { isWebPage, jsonField } from '../client/ex-app-answer.js';
import { addressOf, ExAppClient } from '../client/ex-app-client.service.js';
import { ExAppsRepository, type ExApp } from '../ex-apps.repository.js';
import { AppHistory, FAILED_LINE } from '../log/ex-app-log.service.js';
import { describeAnswer, HeartbeatService } from './heartbeat.service.js';
import { LifecyclePace } from './lifecycle-pace.service.js';
import { LifecycleFailed, LifecycleInterrupted } from './lifecycle.errors.js';
import { LifecycleRepository } from './lifecycle.repository.js';

/** Responses to `/init` of apps that have nothing to initialise. */
const NO_INITIALISATION = new Set([404, 501]);

/** Distinct heartbeat errors that are logged while an app starts. */
const MOST_LOGGED = 20;

/**
 * The steps of the lifecycle that call the app. Callers hold the app's lease; `signal` aborts when
 * they lose it. Failures are recorded in the app's status and log.
 */
@Injectable()
export class ActivationService {
  readonly #disabledHooks: ((appId: string) => Promise<unknown>)[] = [];

  constructor(
    private readonly apps: ExAppsRepository,
    private readonly states: LifecycleRepository,
    private readonly client: ExAppClient,
    private readonly heartbeats: HeartbeatService,
    private readonly pace: LifecyclePace,
    private readonly access: AccessChanges,
    private readonly history: AppHistory,
  ) {}

  /** @param hook runs after an app has been disabled; must be idempotent */
  onDisabled(hook: (appId: string) => Promise<unknown>): void {
    this.#disabledHooks.push(hook);
  }

  /**
   * Waits for the app's process and asks it to initialise. An app that has nothing to initialise is
   * enabled at once; others are enabled when they report 100 per cent.
   *
   * @param tries heartbeats before it fails
   */
  async bringUp(
    appId: string,
    signal: AbortSignal,
    tries = this.pace.installHeartbeats,
  ): Promise<void> {
    await this.apps.changeStatus(appId, { deploy: 100, action: 'healthcheck', error: '' });
    const app = await this.#find(appId);
    await this.#recordFailure(appId, signal, async () => {
      await this.#awaitHeartbeat(app, tries, signal);
      await this.states.beginInitialisation(appId);
      await this.#askToInitialise(app, signal);
    });
  }

  /** Like `bringUp`, for an app whose process should be running already. */
  async bringUpAgain(appId: string, signal: AbortSignal): Promise<void> {
    await this.bringUp(appId, signal, this.pace.enableHeartbeats);
  }

  /** @throws LifecycleFailed if the app does not answer or refuses; it is disabled then */
  async enable(appId: string, signal: AbortSignal): Promise<void> {
    await this.apps.changeStatus(appId, { action: 'healthcheck', error: '' });
    const app = await this.#find(appId);
    await this.#recordFailure(appId, signal, async () => {
      try {
        await this.#awaitHeartbeat(app, this.pace.enableHeartbeats, signal);
        // Enabled before the app is told, because it registers things while it handles `/enabled`.
        await this.apps.setEnabled(appId, true);
        await this.#tell(app, true, signal);
      } catch (error) {
        await this.#close(appId);
        throw error;
      }
    });
    await this.apps.noteCheck(appId);
    await this.apps.changeStatus(appId, { action: '', type: '', heartbeat_error: '' });
    await this.history.add(appId, 'app_enabled', `version ${app.version} is enabled`);
  }

  /**
   * Notifies the app, and disables it even if it refuses.
   * @returns the error of the app, or null
   */
  async disable(app: ExApp, signal: AbortSignal): Promise<string | null> {
    try {
      await this.#tell(app, false, signal);
      return null;
    } catch (error) {
      if (error instanceof LifecycleFailed || error instanceof ExAppUnreachable) {
        this.history.warn(app.appId, `could not be told that it is disabled: ${error.message}`);
        return error.message;
      }
      throw error;
    } finally {
      await this.#close(app.appId);
      for (const hook of this.#disabledHooks) {
        await hook(app.appId);
      }
      await this.history.add(app.appId, 'app_disabled', 'is disabled');
    }
  }

  async #find(appId: string): Promise<ExApp> {
    return ExAppNotFound.unless(await this.apps.find(appId), appId);
  }

  async #askToInitialise(app: ExApp, signal: AbortSignal): Promise<void> {
    const answer = await this.client
      .send(app, {
        method: 'POST',
        route: 'init',
        timeoutSeconds: this.pace.initTimeoutSeconds,
        signal,
      })
      .catch(async (error: unknown) => {
        // Some apps initialise before they answer, and report their progress meanwhile.
        if (error instanceof ExAppUnreachable && (await this.#find(app.appId)).status.init > 0) {
          return null;
        }
        throw error;
      });
    if (answer === null || isSuccess(answer.status)) {
      return;
    }
    if (!NO_INITIALISATION.has(answer.status)) {
      throw new LifecycleFailed(describeAnswer(app, 'POST', 'init', answer));
    }
    if (await this.states.recordProgress(app.appId, 100)) {
      await this.enable(app.appId, signal);
    }
  }

  async #close(appId: string): Promise<void> {
    await this.apps.setEnabled(appId, false);
    await this.access.announceApp(appId);
  }

  async #tell(app: ExApp, enabled: boolean, signal: AbortSignal): Promise<void> {
    const answer = await this.client.send(app, {
      method: 'PUT',
      route: 'enabled',
      query: { enabled: enabled ? '1' : '0' },
      timeoutSeconds: this.pace.enabledTimeoutSeconds,
      signal,
    });
    const error = jsonField(answer, 'error');
    if (typeof error === 'string' && error !== '') {
      throw new LifecycleFailed(`The app answered ${addressOf(app, 'enabled')} with: ${error}`);
    }
    if (!isSuccess(answer.status) || isWebPage(answer)) {
      throw new LifecycleFailed(describeAnswer(app, 'PUT', 'enabled', answer));
    }
  }

  async #awaitHeartbeat(app: ExApp, tries: number, signal: AbortSignal): Promise<void> {
    const logged = new Set<string>();
    for (let count = 1; ; count += 1) {
      signal.throwIfAborted();
      const heartbeat = await this.heartbeats.check(app);
      if (heartbeat.alive) {
        await this.apps.changeStatus(app.appId, { heartbeat_count: count, heartbeat_error: '' });
        await this.apps.noteCheck(app.appId);
        await this.#assertNotStopped(app.appId);
        return;
      }
      if (count === tries) {
        throw new LifecycleFailed(`Heartbeat check failed: ${heartbeat.error}`);
      }
      if (!logged.has(heartbeat.error) && logged.size < MOST_LOGGED) {
        logged.add(heartbeat.error);
        this.history.warn(app.appId, `not yet: ${heartbeat.error}`);
      }
      await this.apps.changeStatus(app.appId, {
        heartbeat_count: count,
        heartbeat_error: heartbeat.error,
      });
      await this.pace.pause(this.pace.heartbeatGapMs, signal);
      await this.#assertNotStopped(app.appId);
    }
  }

  async #assertNotStopped(appId: string): Promise<void> {
    if ((await this.#find(appId)).status.action !== 'healthcheck') {
      throw new LifecycleInterrupted(`An administrator disabled ExApp \`${appId}\` meanwhile.`);
    }
  }

  /** Records errors of the app. An interruption is not an error of the app. */
  async #recordFailure(
    appId: string,
    signal: AbortSignal,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) {
        throw signal.reason;
      }
      if (error instanceof LifecycleFailed || error instanceof ExAppUnreachable) {
        if (await this.states.fail(appId, error.message)) {
          this.history.warn(appId, `${FAILED_LINE}${error.message}`);
        }
        throw new LifecycleFailed(error.message);
      }
      throw error;
    }
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
