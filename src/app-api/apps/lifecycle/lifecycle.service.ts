import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { ExAppUninstallHooks } from '../../../common/ports/ex-app-uninstall-hooks.js';
import { NotificationCenter } from '../../../common/ports/notification-center.js';
import { ExAppNotFound, ExAppUnreachable, InvalidRegistration } from '../../app-api.errors.js';
import { AppClosures } from './app-closures.js';
import { isBeingInstalled } from '../app-state.js';
import { AppLeases } from './app-leases.js';
import { addressOf, ExAppClient } from '../../client/ex-app-client.js';
import { DaemonsService } from '../daemons/daemons.service.js';
import { EventDeliveryService } from '../../events/event-delivery.service.js';
import { ExAppLog, FAILED_LINE } from '../log/ex-app-log.js';
import { isWebPage } from '../../client/fault-hints.js';
import { describeAnswer, HeartbeatService, jsonField } from './heartbeat.service.js';
import {
  ExAppAlreadyRegistered,
  ExAppBusy,
  LifecycleFailed,
  LifecycleInterrupted,
} from './lifecycle.errors.js';
import { LifecyclePace } from './lifecycle-pace.js';
import type { ExAppManifest } from '../ex-app-manifest.js';
import { ExAppRoutesRepository } from '../../proxy/ex-app-routes.repository.js';
import { ExAppsRepository, type ExApp } from '../ex-apps.repository.js';
import { LifecycleRepository } from './lifecycle.repository.js';

/** Statuses by which an app says that it has nothing to initialise. */
const NO_INITIALISATION = new Set([404, 501]);

/** Different answers of an app that has yet to start which the log tells of. */
const MOST_TOLD = 20;

const UNREGISTER_WAIT_MS = 10_000;

export interface Unregistration {
  /** Leaves values and preferences for the next time the app is registered. */
  readonly keepData?: boolean;
  /** Ends whatever is being done with the app right now. */
  readonly force?: boolean;
}

/**
 * The way of an app from its registration to its end:
 *
 *     register → install: heartbeat → /init → progress … 100 → enable ⇄ disable → unregister
 *                   ↑                                           │
 *                   └────────────────── update ─────────────────┘
 *
 * Each arrow runs under the app's lease, so two of them never run at once, in no two processes. The
 * requests an app makes while it is being called need no lease: it may announce things during
 * `/enabled` and report progress during `/init`.
 *
 * @see docs/app-api.md "Life cycle"
 */
@Injectable()
export class LifecycleService implements BeforeApplicationShutdown {
  readonly #logger = new Logger('ExApps');
  readonly #background = new Set<Promise<void>>();

  constructor(
    private readonly apps: ExAppsRepository,
    private readonly routes: ExAppRoutesRepository,
    private readonly lifecycle: LifecycleRepository,
    private readonly daemons: DaemonsService,
    private readonly leases: AppLeases,
    private readonly client: ExAppClient,
    private readonly heartbeats: HeartbeatService,
    private readonly pace: LifecyclePace,
    private readonly notifications: NotificationCenter,
    private readonly uninstallHooks: ExAppUninstallHooks,
    private readonly events: EventDeliveryService,
    private readonly closures: AppClosures,
    private readonly log: ExAppLog,
  ) {}

  /**
   * Notes a new app; `install` does the rest.
   *
   * @returns the app with its secret, which is made up here unless it was given
   * @throws ExAppAlreadyRegistered, DaemonNotFound, InvalidRegistration
   */
  async register(input: ExAppManifest): Promise<ExApp> {
    if ((await this.apps.find(input.appId)) !== null) {
      throw new ExAppAlreadyRegistered(input.appId);
    }
    const { baseUrl, daemonName } = await this.daemons.placeOf(input);
    const created = await this.apps.create({
      appId: input.appId,
      name: input.name,
      version: input.version,
      daemonName,
      baseUrl,
      secret: input.secret ?? randomBytes(64).toString('hex'),
      status: { deploy: 0, init: 0, action: 'deploy', type: 'install', error: '' },
      isSystem: input.isSystem,
    });
    if (!created) {
      throw new ExAppAlreadyRegistered(input.appId);
    }
    await this.routes.replace(input.appId, input.routes);
    if (input.initTimeoutMinutes !== undefined) {
      await this.lifecycle.setInitTimeout(input.appId, input.initTimeoutMinutes);
    }
    this.log.note(input.appId, `version ${input.version} is registered at ${baseUrl}`);
    return this.#find(input.appId);
  }

  /**
   * Waits for the app's process and asks it to initialise. The app is enabled as soon as it has
   * reported 100 per cent, which is later and elsewhere, unless it has nothing to initialise.
   *
   * @throws LifecycleFailed with what is in the status, too; the app stays registered
   */
  async install(appId: string): Promise<void> {
    await this.leases.hold(appId, 'being installed', (signal) => this.#bringUp(appId, signal));
  }

  /**
   * What the app says of its initialisation. At 100 it is enabled, after the answer: an app waits
   * for this answer before it can answer anything else.
   *
   * @throws ExAppNotFound
   */
  async reportProgress(appId: string, progress: number, error: string): Promise<void> {
    await this.#find(appId);
    if (error !== '') {
      await this.apps.changeStatus(appId, { error });
      return;
    }
    if ((await this.lifecycle.noteProgress(appId, progress)) === 'arrived') {
      this.inBackground(appId, () => this.#enableInitialised(appId));
    }
  }

  /**
   * Tries again where an installation failed or was stopped: an app that has not initialised itself
   * is asked to, and enabled later, when it has reported 100 per cent.
   *
   * @returns false when it was enabled already
   * @throws LifecycleFailed when the app did not answer or refused; it is disabled then
   */
  async enable(appId: string): Promise<boolean> {
    return this.leases.hold(appId, 'being enabled', async (signal) => {
      const { enabled, status } = await this.#find(appId);
      if (enabled) {
        return false;
      }
      const goesOn = isBeingInstalled(status) && status.error === '';
      if (status.init < 100 && !goesOn) {
        const type = status.type.startsWith('update') ? 'update' : 'install';
        await this.apps.changeStatus(appId, { type });
        await this.#bringUp(appId, signal, this.pace.enableHeartbeats);
      } else {
        await this.#enable(appId, signal);
      }
      return true;
    });
  }

  /**
   * Tells the app while it may still call, so that it can take back what it announced. It is
   * disabled whatever it answers. An installation that goes on is stopped, and a failed one is put
   * away: neither is told to the app, which has announced nothing yet.
   *
   * @returns whether there was anything to change, and what the app complained about; null for nothing
   */
  async disable(
    appId: string,
  ): Promise<{ readonly changed: boolean; readonly complaint: string | null }> {
    const unchanged = { changed: false, complaint: null };
    if (!(await this.#find(appId)).enabled) {
      return (await this.#stopInstallation(appId)) ? { changed: true, complaint: null } : unchanged;
    }
    return this.leases.hold(appId, 'being disabled', async (signal) => {
      const app = await this.#find(appId);
      return app.enabled
        ? { changed: true, complaint: await this.#disable(app, signal) }
        : unchanged;
    });
  }

  /**
   * Whether there is something to update to.
   *
   * @throws ExAppNotFound, or InvalidRegistration when the version is not told
   */
  async isUpdate(appId: string, input: ExAppManifest): Promise<boolean> {
    const { version } = await this.#find(appId);
    if (input.versionMissing) {
      throw new InvalidRegistration(`The new version of ExApp \`${appId}\` is not given.`);
    }
    return version !== input.version;
  }

  /**
   * Takes an app to another version: disabled, changed, and brought up as a new one is.
   *
   * @returns false when it has that version already
   * @throws LifecycleFailed as `install` does
   */
  async update(appId: string, input: ExAppManifest): Promise<boolean> {
    if (!(await this.isUpdate(appId, input))) {
      return false;
    }
    return this.leases.hold(appId, 'being updated', async (signal) => {
      const app = await this.#find(appId);
      await this.apps.changeStatus(appId, {
        type: 'update',
        action: 'deploy',
        deploy: 0,
        init: 0,
        error: '',
      });
      if (app.enabled) {
        await this.#disable(app, signal);
      }
      await this.lifecycle.applyVersion(appId, {
        name: input.nameMissing ? app.name : input.name,
        version: input.version,
        baseUrl: input.baseUrl,
        routes: input.routes,
      });
      await this.#bringUp(appId, signal);
      return true;
    });
  }

  /**
   * Removes an app and everything it announced. The app is told first, if it is enabled, but need
   * not answer.
   *
   * @throws ExAppNotFound
   */
  async unregister(
    appId: string,
    { keepData = false, force = false }: Unregistration = {},
  ): Promise<void> {
    const options = { force, waitMs: UNREGISTER_WAIT_MS };
    await this.leases.hold(
      appId,
      'being removed',
      async (signal) => {
        const app = await this.#find(appId);
        if (app.enabled) {
          await this.#disable(app, signal);
        }
        // Were the app ever registered again, it would begin anew.
        await this.notifications.forget(appId);
        await this.uninstallHooks.run(appId);
        await this.lifecycle.remove(appId, keepData);
      },
      options,
    );
  }

  /**
   * Waits until an app has been initialised and enabled, whichever process does it.
   *
   * @throws LifecycleFailed with the error in its status
   */
  async awaitReady(appId: string): Promise<void> {
    for (;;) {
      const { status } = await this.#find(appId);
      if (status.error !== '') {
        throw new LifecycleFailed(status.error);
      }
      if (status.init === 100 && status.type === '') {
        return;
      }
      // Whoever waits at a command line does so even where no service looks at the time.
      await this.failOverdue();
      await this.pace.pause(this.pace.readyPollMs, this.leases.stopped);
    }
  }

  /** Gives up on apps that did not report 100 per cent within their limit. */
  async failOverdue(): Promise<void> {
    for (const { appId, error } of await this.lifecycle.failOverdueInitialisations()) {
      this.log.warn(appId, `${FAILED_LINE}${error}`);
    }
  }

  /** Continues what a process began that has since gone away. */
  resumeForgotten(appId: string, step: 'install' | 'enable'): void {
    this.inBackground(appId, () =>
      step === 'install' ? this.install(appId) : this.#enableInitialised(appId),
    );
  }

  /** For work that nobody waits for; what goes wrong is in the app's status. */
  inBackground(appId: string, work: () => Promise<unknown>): void {
    const running: Promise<void> = work().then(
      () => undefined,
      (error: unknown) => this.#logOutcome(appId, error),
    );
    this.#background.add(running);
    void running.finally(() => this.#background.delete(running));
  }

  /** Resolves when nothing goes on in the background of this process any more. */
  async settled(): Promise<void> {
    while (this.#background.size > 0) {
      await Promise.all(this.#background);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Their leases end with the process's stop signal; what they leave unfinished is resumed later.
    this.leases.stop();
    await this.settled();
  }

  async #find(appId: string): Promise<ExApp> {
    const app = await this.apps.find(appId);
    if (app === null) {
      throw new ExAppNotFound(appId);
    }
    return app;
  }

  async #stopInstallation(appId: string): Promise<boolean> {
    const stopped = await this.lifecycle.stop(appId);
    if (stopped) {
      this.log.note(appId, 'an administrator stopped its installation; it is disabled');
    }
    return stopped;
  }

  async #bringUp(
    appId: string,
    signal: AbortSignal,
    tries = this.pace.installHeartbeats,
  ): Promise<void> {
    await this.apps.changeStatus(appId, { deploy: 100, action: 'healthcheck', error: '' });
    const app = await this.#find(appId);
    await this.#settle(appId, signal, async () => {
      await this.#awaitHeartbeat(app, tries, signal);
      await this.lifecycle.beginInitialisation(appId);
      await this.#askToInitialise(app, signal);
    });
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
        // Some apps do all the work before they answer, and report how far they are meanwhile.
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
    if ((await this.lifecycle.noteProgress(app.appId, 100)) === 'arrived') {
      await this.#enable(app.appId, signal);
    }
  }

  /** The last step of an installation; nothing to do when somebody else has done it. */
  async #enableInitialised(appId: string): Promise<void> {
    await this.leases.hold(appId, 'being enabled', async (signal) => {
      const { enabled, status } = await this.#find(appId);
      if (!enabled || status.action === 'healthcheck') {
        await this.#enable(appId, signal);
      }
    });
  }

  async #enable(appId: string, signal: AbortSignal): Promise<void> {
    await this.apps.changeStatus(appId, { action: 'healthcheck', error: '' });
    const app = await this.#find(appId);
    await this.#settle(appId, signal, async () => {
      try {
        await this.#awaitHeartbeat(app, this.pace.enableHeartbeats, signal);
        // Before it is told, so that it may announce what it has while it is being told.
        await this.apps.setEnabled(appId, true);
        await this.#tell(app, true, signal);
      } catch (error) {
        await this.#close(appId);
        throw error;
      }
    });
    await this.apps.noteCheck(appId);
    await this.apps.changeStatus(appId, { action: '', type: '', heartbeat_error: '' });
    this.log.note(appId, `version ${app.version} is enabled`);
  }

  /** @returns what the app complained about */
  async #disable(app: ExApp, signal: AbortSignal): Promise<string | null> {
    try {
      await this.#tell(app, false, signal);
      return null;
    } catch (error) {
      if (error instanceof LifecycleFailed || error instanceof ExAppUnreachable) {
        this.log.warn(app.appId, `did not take note of being disabled: ${error.message}`);
        return error.message;
      }
      throw error;
    } finally {
      await this.#close(app.appId);
      // What happened while nobody listened is no news later.
      await this.events.drop(app.appId);
      this.log.note(app.appId, 'is disabled');
    }
  }

  async #close(appId: string): Promise<void> {
    await this.apps.setEnabled(appId, false);
    await this.closures.announce(appId);
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
    const told = new Set<string>();
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
      if (!told.has(heartbeat.error) && told.size < MOST_TOLD) {
        told.add(heartbeat.error);
        this.log.warn(app.appId, `not yet: ${heartbeat.error}`);
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

  /** Whatever the app did wrong is written where operators look. An interruption is not its fault. */
  async #settle(appId: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) {
        throw signal.reason;
      }
      if (error instanceof LifecycleFailed || error instanceof ExAppUnreachable) {
        if (await this.lifecycle.fail(appId, error.message)) {
          this.log.warn(appId, `${FAILED_LINE}${error.message}`);
        }
        throw new LifecycleFailed(error.message);
      }
      throw error;
    }
  }

  #logOutcome(appId: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof LifecycleInterrupted) {
      this.#logger.debug(`${appId}: ${message}`);
      return;
    }
    if (error instanceof LifecycleFailed) {
      // Its line was written where it failed.
      return;
    }
    if (error instanceof ExAppNotFound || error instanceof ExAppBusy) {
      this.log.warn(appId, message);
      return;
    }
    this.#logger.error(`${appId}: ${message}`, error instanceof Error ? error.stack : undefined);
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
