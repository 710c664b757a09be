import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { AccessChanges } from '../../../common/ports/access-changes.js';
import { ExAppNotFound } from '../../app-api.errors.js';
import { ExAppsRepository, type ExApp } from '../ex-apps.repository.js';
import { AppHistory, ExAppLog } from '../log/ex-app-log.service.js';
import type { LogLine } from '../log/log-lines.repository.js';
import { HeartbeatService, type Heartbeat } from './heartbeat.service.js';
import { LifecycleRepository } from './lifecycle.repository.js';

export type KnownApp = Omit<ExApp, 'secret' | 'previousSecret'>;

/** External apps, for administrators and operators. */
@Injectable()
export class ExAppsService {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly states: LifecycleRepository,
    private readonly heartbeats: HeartbeatService,
    private readonly log: ExAppLog,
    private readonly history: AppHistory,
    private readonly access: AccessChanges,
  ) {}

  async list(which: 'all' | 'enabled'): Promise<KnownApp[]> {
    const apps = await this.apps.list();
    return apps.filter(({ enabled }) => enabled || which === 'all').map(withoutSecret);
  }

  async find(appId: string): Promise<KnownApp> {
    return withoutSecret(await this.open(appId));
  }

  /** An app with its secret. @throws ExAppNotFound */
  async open(appId: string): Promise<ExApp> {
    return ExAppNotFound.unless(await this.apps.find(appId), appId);
  }

  /** The latest log lines of the app and of the host about it, newest first. */
  async logOf(appId: string, limit: number): Promise<LogLine[]> {
    await this.open(appId);
    return this.log.recent(appId, limit);
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
    ExAppNotFound.unless(await this.apps.rotateSecret(appId, secret, graceSeconds), appId);
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
}

function withoutSecret({ secret: _s, previousSecret: _p, ...app }: ExApp): KnownApp {
  return app;
}
