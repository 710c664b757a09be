import { Injectable } from '@nestjs/common';
import { AccessChanges } from '../../common/ports/access-changes.js';
import { ExAppNotFound } from '../app-api.errors.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { AppHistory } from '../apps/log/ex-app-log.service.js';
import { type ExAppRoute, ExAppRoutesRepository } from '../apps/routes/ex-app-routes.repository.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { decidingRoute, isForGatewayAlone } from './route-rules.js';

/** Browsers' access to an app. */
export interface BrowserAccess {
  readonly routes: readonly ExAppRoute[];
  /** Registered scripts, styles and icons that no route opens. */
  readonly closedFiles: readonly string[];
}

/**
 * The routes that apps declare for browsers.
 *
 * @see docs/app-api-reference.md "The browser proxy"
 */
@Injectable()
export class DeclaredRoutesService {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly routes: ExAppRoutesRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly access: AccessChanges,
    private readonly history: AppHistory,
  ) {}

  /** @throws ExAppNotFound; so does `replace` */
  async ofApp(appId: string): Promise<BrowserAccess> {
    await this.#assertExists(appId);
    const [routes, files, handlers] = await Promise.all([
      this.routes.ofApp(appId),
      this.registrations.filesForBrowsers(appId),
      this.registrations.handlersOf(appId),
    ]);
    const isClosed = (file: string) =>
      decidingRoute(routes, 'GET', file) === null || isForGatewayAlone(file, handlers);
    return { routes, closedFiles: files.filter(isClosed) };
  }

  /** Takes effect at once and closes open connections. */
  async replace(appId: string, routes: readonly ExAppRoute[]): Promise<void> {
    await this.#assertExists(appId);
    await this.routes.replace(appId, routes);
    await this.access.announceApp(appId);
    await this.history.add(
      appId,
      'app_changed',
      `${routes.length} routes for browsers were declared`,
    );
  }

  async #assertExists(appId: string): Promise<void> {
    if ((await this.apps.find(appId)) === null) {
      throw new ExAppNotFound(appId);
    }
  }
}
