import { Injectable } from '@nestjs/common';
import { AccessChanges } from '../../common/ports/access-changes.js';
import { randomBytes } from 'node:crypto';
import { ExAppNotFound } from '../app-api.errors.js';
import { DeclaredRoutesService, type BrowserAccess } from '../proxy/declared-routes.service.js';
import { HeartbeatService, type Heartbeat } from './lifecycle/heartbeat.service.js';
import { ExAppsRepository, type ExApp } from './ex-apps.repository.js';
import { AppHistory } from './log/app-history.js';
import { ExAppLog } from './log/ex-app-log.js';
import type { LogLine } from './log/log-lines.repository.js';
import type { RegistrationSummary } from '../capabilities/capability.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { LifecycleRepository } from './lifecycle/lifecycle.repository.js';

/** An app without its secret. */
export type KnownApp = Omit<ExApp, 'secret' | 'previousSecret'>;

/** Everything an operator needs to diagnose an app. */
export interface Examination {
  readonly app: KnownApp;
  readonly browserAccess: BrowserAccess;
  readonly initTimeoutMinutes: number;
  readonly heartbeat: Heartbeat;
  /** Of the host, oldest first. */
  readonly warnings: readonly LogLine[];
}

/** What is stored about an app. */
interface AppRecord {
  readonly app: KnownApp;
  readonly browserAccess: BrowserAccess;
  readonly initTimeoutMinutes: number;
  readonly registrations: readonly RegistrationSummary[];
}

/** External apps, for administrators and operators. */
@Injectable()
export class ExAppsService {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly routes: DeclaredRoutesService,
    private readonly states: LifecycleRepository,
    private readonly heartbeats: HeartbeatService,
    private readonly registrations: RegistrationsRepository,
    private readonly log: ExAppLog,
    private readonly history: AppHistory,
    private readonly access: AccessChanges,
  ) {}

  async list(which: 'all' | 'enabled'): Promise<KnownApp[]> {
    const apps = await this.apps.list();
    return apps.filter(({ enabled }) => enabled || which === 'all').map(withoutSecret);
  }

  /** @throws ExAppNotFound */
  async find(appId: string): Promise<KnownApp> {
    return withoutSecret(await this.#open(appId));
  }

  /** @throws ExAppNotFound */
  async record(appId: string): Promise<AppRecord> {
    return {
      app: await this.find(appId),
      browserAccess: await this.routes.ofApp(appId),
      initTimeoutMinutes: await this.apps.initTimeoutMinutes(appId),
      registrations: await this.registrations.summaryOf(appId),
    };
  }

  /**
   * The latest log lines of the app and of the host about it, newest first.
   *
   * @throws ExAppNotFound
   */
  async logOf(appId: string, limit: number): Promise<LogLine[]> {
    await this.#open(appId);
    return this.log.recent(appId, limit);
  }

  /**
   * Checks the connection to the app and adds the result to what is stored about it.
   *
   * @throws ExAppNotFound
   */
  async examine(appId: string): Promise<Examination> {
    const app = await this.#open(appId);
    const heartbeat = await this.check(app);
    return {
      app: await this.find(appId),
      browserAccess: await this.routes.ofApp(appId),
      initTimeoutMinutes: await this.apps.initTimeoutMinutes(appId),
      heartbeat,
      warnings: await this.log.warningsAfter(appId, 0),
    };
  }

  /**
   * Gives an app a new secret. The one that its process was started with stays valid for
   * `graceSeconds`, so that the process can be restarted without refused calls.
   *
   * @param secret undefined generates one
   * @returns the new secret
   * @throws ExAppNotFound
   */
  async rotateSecret(
    appId: string,
    graceSeconds: number,
    secret = randomBytes(64).toString('hex'),
  ): Promise<string> {
    if (!(await this.apps.rotateSecret(appId, secret, graceSeconds))) {
      throw new ExAppNotFound(appId);
    }
    if (graceSeconds === 0) {
      await this.access.announceApp(appId);
    }
    await this.history.add(
      appId,
      'app_changed',
      `its secret was rotated; the previous one is valid for ${graceSeconds} seconds`,
    );
    return secret;
  }

  /** @returns false if there is no such app */
  async setSecret(appId: string, secret: string): Promise<boolean> {
    return this.apps.setSecret(appId, secret);
  }

  /** Checks the connection and records the result; never disables the app. */
  async check(app: ExApp): Promise<Heartbeat> {
    const heartbeat = await this.heartbeats.check(app);
    if (heartbeat.alive) {
      await this.apps.noteCheck(app.appId);
    }
    await this.apps.changeStatus(app.appId, { heartbeat_error: heartbeat.error });
    return heartbeat;
  }

  /** Checks the enabled apps whose latest check began longer ago; each is checked by one process. */
  async checkDue(olderThanSeconds: number): Promise<void> {
    const due = await this.states.claimChecks(olderThanSeconds);
    await this.apps.removeExpiredSecrets();
    await Promise.all(due.map((appId) => this.#checkEnabled(appId)));
  }

  async #checkEnabled(appId: string): Promise<void> {
    const app = await this.apps.find(appId);
    if (app === null || !app.enabled) {
      return;
    }
    const heartbeat = await this.check(app);
    const previousError = app.status.heartbeat_error ?? '';
    if (!heartbeat.alive && previousError === '') {
      this.log.warn(appId, `no longer answers: ${heartbeat.error}`);
    }
    if (heartbeat.alive && previousError !== '') {
      this.log.note(appId, 'answers again');
    }
  }

  async #open(appId: string): Promise<ExApp> {
    const app = await this.apps.find(appId);
    if (app === null) {
      throw new ExAppNotFound(appId);
    }
    return app;
  }
}

function withoutSecret({ secret: _s, previousSecret: _p, ...app }: ExApp): KnownApp {
  return app;
}
