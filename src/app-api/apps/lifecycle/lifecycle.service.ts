import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { ExAppUninstallHooks } from '../../../common/ports/hooks.js';
import { ExAppNotFound, InvalidRegistration } from '../../app-api.errors.js';
import { isBeingInstalled } from '../app-state.js';
import { DaemonsService } from '../daemons/daemons.service.js';
import { ExAppsRepository, type ExApp } from '../ex-apps.repository.js';
import { AppHistory, FAILED_LINE } from '../log/ex-app-log.service.js';
import type { ExAppManifest } from '../manifest/ex-app-manifest.js';
import { ActivationService } from './activation.service.js';
import { AppLeases } from './app-leases.service.js';
import { LifecyclePace } from './lifecycle-pace.service.js';
import {
  ExAppAlreadyRegistered,
  ExAppBusy,
  LifecycleFailed,
  LifecycleInterrupted,
} from './lifecycle.errors.js';
import { LifecycleRepository } from './lifecycle.repository.js';

const UNREGISTER_WAIT_MS = 10_000;

interface UnregisterOptions {
  /** Keeps values and preferences for the next registration of the app. */
  readonly keepData?: boolean;
  /** Interrupts current work on the app. */
  readonly force?: boolean;
}

/**
 * The lifecycle of an app:
 *
 *     register → install: heartbeat → /init → progress … 100 → enable ⇄ disable → unregister
 *                   ↑                                           │
 *                   └────────────────── update ─────────────────┘
 *
 * Each arrow runs under the app's lease, so that only one runs at a time across all processes.
 * Requests of the app itself need no lease: it registers things during `/enabled` and reports its
 * progress during `/init`.
 *
 * @see docs/app-api-reference.md "Lifecycle"
 */
@Injectable()
export class LifecycleService implements BeforeApplicationShutdown {
  readonly #logger = new Logger('ExApps');
  readonly #background = new Set<Promise<void>>();

  constructor(
    private readonly apps: ExAppsRepository,
    private readonly states: LifecycleRepository,
    private readonly daemons: DaemonsService,
    private readonly leases: AppLeases,
    private readonly activation: ActivationService,
    private readonly uninstallHooks: ExAppUninstallHooks,
    private readonly pace: LifecyclePace,
    private readonly history: AppHistory,
  ) {}

  /**
   * Stores a new app, to be followed by `install`.
   *
   * @returns the app with its secret, which is generated unless the manifest has one
   * @throws ExAppAlreadyRegistered, DaemonNotFound, InvalidRegistration
   */
  async register(manifest: ExAppManifest): Promise<ExApp> {
    const { appId, name, version, isSystem, routes, initTimeoutMinutes } = manifest;
    if ((await this.apps.find(appId)) !== null) {
      throw new ExAppAlreadyRegistered(appId);
    }
    const { baseUrl, daemonName } = await this.daemons.placeOf(manifest);
    const secret = manifest.secret ?? randomBytes(64).toString('hex');
    const status = { deploy: 0, init: 0, action: 'deploy', type: 'install', error: '' } as const;
    const app = { appId, name, version, daemonName, baseUrl, secret, status, isSystem };
    if (!(await this.apps.create(app, { routes, initTimeoutMinutes }))) {
      throw new ExAppAlreadyRegistered(appId);
    }
    await this.history.add(
      appId,
      'app_registered',
      `version ${version} is registered at ${baseUrl}`,
    );
    return this.#find(appId);
  }

  /**
   * Waits for the app's process and asks it to initialise. The app is enabled when it reports 100
   * per cent, or at once if it has nothing to initialise.
   *
   * @throws LifecycleFailed with the error of the status; the app stays registered
   */
  async install(appId: string): Promise<void> {
    await this.leases.hold(appId, 'being installed', (signal) =>
      this.activation.bringUp(appId, signal),
    );
  }

  /**
   * Records the progress that an app reports of its initialisation. At 100 per cent it is enabled in
   * the background: the app cannot answer requests before it has received this response.
   */
  async reportProgress(appId: string, progress: number, error: string): Promise<void> {
    await this.#find(appId);
    if (error !== '') {
      await this.apps.changeStatus(appId, { error });
      return;
    }
    if (await this.states.recordProgress(appId, progress)) {
      this.inBackground(appId, () => this.#enableInitialised(appId));
    }
  }

  /**
   * Also retries a failed or stopped installation: such an app is asked to initialise first, and
   * enabled when it reports 100 per cent.
   *
   * @returns false if it was enabled already
   * @throws LifecycleFailed if the app did not answer or refused; it is disabled then
   */
  async enable(appId: string): Promise<boolean> {
    return this.leases.hold(appId, 'being enabled', async (signal) => {
      const { enabled, status } = await this.#find(appId);
      if (enabled) {
        return false;
      }
      const inProgress = isBeingInstalled(status) && status.error === '';
      if (status.init < 100 && !inProgress) {
        const type = status.type.startsWith('update') ? 'update' : 'install';
        await this.apps.changeStatus(appId, { type });
        await this.history.add(appId, 'app_changed', 'its installation is tried again');
        await this.activation.bringUpAgain(appId, signal);
      } else {
        await this.activation.enable(appId, signal);
      }
      return true;
    });
  }

  /**
   * Notifies the app first, while it may still unregister things, and disables it even if it refuses. Stops
   * an installation in progress and resets a failed one; the app, which has registered nothing by then, is
   * not notified.
   *
   * @returns whether anything changed, and the error of the app or null
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
        ? { changed: true, complaint: await this.activation.disable(app, signal) }
        : unchanged;
    });
  }

  /**
   * Whether the manifest has another version than the registered one.
   *
   * @throws ExAppNotFound, or InvalidRegistration if the manifest has no version
   */
  async isUpdate(appId: string, manifest: ExAppManifest): Promise<boolean> {
    const { version } = await this.#find(appId);
    if (manifest.versionMissing) {
      throw new InvalidRegistration(`The new version of ExApp \`${appId}\` is not given.`);
    }
    return version !== manifest.version;
  }

  /**
   * Disables the app, stores the new version, and brings it up as after an installation.
   *
   * @returns false if it has that version already
   * @throws LifecycleFailed as `install` does
   */
  async update(appId: string, manifest: ExAppManifest): Promise<boolean> {
    if (!(await this.isUpdate(appId, manifest))) {
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
        await this.activation.disable(app, signal);
      }
      await this.states.applyVersion(appId, {
        name: manifest.nameMissing ? app.name : manifest.name,
        version: manifest.version,
        baseUrl: manifest.baseUrl,
        routes: manifest.routes,
      });
      await this.history.add(appId, 'app_updated', `version ${app.version} → ${manifest.version}`);
      await this.activation.bringUp(appId, signal);
      return true;
    });
  }

  /**
   * Deletes an app and everything it registered. An enabled app is disabled first, but need not
   * answer.
   */
  async unregister(
    appId: string,
    { keepData = false, force = false }: UnregisterOptions = {},
  ): Promise<void> {
    const options = { force, waitMs: UNREGISTER_WAIT_MS };
    await this.leases.hold(
      appId,
      'being removed',
      async (signal) => {
        const app = await this.#find(appId);
        if (app.enabled) {
          await this.activation.disable(app, signal);
        }
        await this.uninstallHooks.run(appId, keepData);
        await this.states.remove(appId);
        await this.history.removed(appId, keepData);
      },
      options,
    );
  }

  /**
   * Polls until an app is initialised and enabled, by whichever process.
   *
   * @throws LifecycleFailed with the error of its status
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
      // A command may wait while no service runs that enforces the time limit.
      await this.failOverdue();
      await this.pace.pause(this.pace.readyPollMs, this.leases.stopped);
    }
  }

  /** Fails apps that did not report 100 per cent within their time limit. */
  async failOverdue(): Promise<void> {
    for (const { appId, error } of await this.states.failOverdueInitialisations()) {
      this.history.warn(appId, `${FAILED_LINE}${error}`);
    }
  }

  /** Resumes, in the background, unfinished work of ended processes. */
  async resumeAbandoned(): Promise<void> {
    for (const { appId, nextStep } of await this.states.abandoned()) {
      this.inBackground(appId, () =>
        nextStep === 'install' ? this.install(appId) : this.#enableInitialised(appId),
      );
    }
  }

  /** Does not wait; errors end up in the app's status and the log. */
  inBackground(appId: string, work: () => Promise<unknown>): void {
    const running: Promise<void> = work().then(
      () => undefined,
      (error: unknown) => this.#logOutcome(appId, error),
    );
    this.#background.add(running);
    void running.finally(() => this.#background.delete(running));
  }

  /** Resolves when all background work of this process has ended. */
  async settled(): Promise<void> {
    while (this.#background.size > 0) {
      await Promise.all(this.#background);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Interrupts the work under leases; another process resumes it.
    this.leases.stop();
    await this.settled();
  }

  async #find(appId: string): Promise<ExApp> {
    return ExAppNotFound.unless(await this.apps.find(appId), appId);
  }

  async #stopInstallation(appId: string): Promise<boolean> {
    const stopped = await this.states.stop(appId);
    if (stopped) {
      await this.history.add(appId, 'app_disabled', 'its installation was stopped; it is disabled');
    }
    return stopped;
  }

  /** The last step of an installation, unless another process has done it. */
  async #enableInitialised(appId: string): Promise<void> {
    await this.leases.hold(appId, 'being enabled', async (signal) => {
      const { enabled, status } = await this.#find(appId);
      if (!enabled || status.action === 'healthcheck') {
        await this.activation.enable(appId, signal);
      }
    });
  }

  #logOutcome(appId: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof LifecycleInterrupted) {
      this.#logger.debug(`${appId}: ${message}`);
      return;
    }
    if (error instanceof LifecycleFailed) {
      // Logged where it failed.
      return;
    }
    if (error instanceof ExAppNotFound || error instanceof ExAppBusy) {
      this.history.warn(appId, message);
      return;
    }
    this.#logger.error(`${appId}: ${message}`, error instanceof Error ? error.stack : undefined);
  }
}
