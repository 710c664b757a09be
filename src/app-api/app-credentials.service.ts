import { Injectable } from '@nestjs/common';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppCredentials, type CallingApp } from '../common/ports/app-credentials.js';
import { isBeingInstalled } from './app-state.js';
import { isNewerVersion } from './is-newer-version.js';
import { ExAppsRepository } from './store/ex-apps.repository.js';

/** Knows an external app by its secret. */
@Injectable()
export class AppCredentialsService extends AppCredentials {
  /** What the secrets of unknown apps are compared with: something nobody can send. */
  readonly #decoy = randomBytes(32).toString('base64');

  constructor(private readonly apps: ExAppsRepository) {
    super();
  }

  override async verify(appId: string, secret: string): Promise<CallingApp | null> {
    const app = await this.apps.find(appId);
    const matches = isSame(secret, app?.secret ?? this.#decoy);
    if (app === null || !matches) {
      return null;
    }
    return {
      appId: app.appId,
      version: app.version,
      enabled: app.enabled,
      beingInstalled: isBeingInstalled(app.status),
    };
  }

  override async noteVersion(app: CallingApp, version: string): Promise<void> {
    if (isNewerVersion(version, app.version)) {
      await this.apps.raiseVersion(app.appId, app.version, version);
    }
  }
}

/** Compares digests, which are of equal length, in constant time. */
function isSame(given: string, known: string): boolean {
  const [left, right] = [given, known].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
