import { Injectable } from '@nestjs/common';
import { compareVersions, validate } from 'compare-versions';
import { randomBytes } from 'node:crypto';
import type { AppCredentials, CallingApp } from '../../../common/ports/app-credentials.js';
import { isSameSecret } from '../../../common/secrets/token-hash.js';
import { isBeingInstalled } from '../app-state.js';
import { ExAppsRepository } from '../ex-apps.repository.js';
import { ExAppLog, REFUSED_LINE } from '../log/ex-app-log.service.js';

/** Longer texts are not taken as versions. */
const LONGEST_VERSION = 32;

/** Verifies the secrets of external apps. */
@Injectable()
export class AppCredentialsService implements AppCredentials {
  /** Compared with the secrets of unknown apps, for constant time. */
  readonly #decoy = randomBytes(32).toString('base64');

  constructor(
    private readonly apps: ExAppsRepository,
    private readonly log: ExAppLog,
  ) {}

  async verify(appId: string, secret: string): Promise<CallingApp | null> {
    const app = await this.apps.find(appId);
    const matches = isSameSecret(secret, app?.secret ?? this.#decoy);
    const matchesPrevious = isSameSecret(secret, app?.previousSecret ?? this.#decoy);
    if (app === null || !(matches || matchesPrevious)) {
      return null;
    }
    if (matches && !app.secretSeen) {
      await this.apps.noteSecretSeen(appId);
    }
    return {
      appId: app.appId,
      name: app.name,
      version: app.version,
      enabled: app.enabled,
      beingInstalled: isBeingInstalled(app.status),
    };
  }

  noteRefusal(appId: string, reason: string, clientAddress: string): void {
    this.log.warnOnce(appId, REFUSED_LINE + reason, ` (from ${clientAddress})`);
  }

  async noteVersion(app: CallingApp, version: string): Promise<void> {
    if (version === app.version) {
      return;
    }
    const registered = `${app.version}, which it was registered with`;
    if (isNewerVersion(version, app.version)) {
      await this.apps.raiseVersion(app.appId, app.version, version);
      this.log.warnOnce(
        app.appId,
        `The app says it has version ${version}, higher than ${registered}; ${version} is accepted and stored.`,
      );
    } else {
      this.log.warnOnce(
        app.appId,
        `The app says it has version ${version}, lower than ${registered}; it is accepted, and ${app.version} stays stored.`,
      );
    }
  }
}

/**
 * Whether `version` follows `known` in semantic versioning, with up to four numbers. A text that is
 * not a version is never newer.
 */
export function isNewerVersion(version: string, known: string): boolean {
  return (
    version.length <= LONGEST_VERSION &&
    [version, known].every((text) => /^v?\d/.test(text) && validate(text)) &&
    compareVersions(version, known) > 0
  );
}
