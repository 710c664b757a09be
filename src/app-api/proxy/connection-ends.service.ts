import { Injectable } from '@nestjs/common';
import { RightsChanged } from '../../common/auth/auth.errors.js';
import { AccessChanges, type ChangeWatch } from '../../common/ports/access-changes.js';
import type { AdmittedProxyRequest } from './proxy-gate.service.js';

/**
 * Ends proxied connections when the user loses access or the app is disabled.
 */
@Injectable()
export class ConnectionEnds {
  constructor(private readonly access: AccessChanges) {}

  /**
   * @param end called when access is revoked; possibly more than once
   * @returns to be called when the connection is closed
   * @throws RightsChanged if it was revoked since the request was admitted, which may have waited
   */
  async watch(
    { app, account, sinceMs }: AdmittedProxyRequest,
    end: () => void,
  ): Promise<() => void> {
    const watches: ChangeWatch[] = [];
    const close = () => watches.forEach((watch) => watch.close());
    try {
      watches.push(await this.access.watchApp(app.appId, sinceMs));
      if (account !== undefined) {
        watches.push(await this.access.watch(account.userId, sinceMs));
      }
      RightsChanged.unless(watches.every(({ signal }) => !signal.aborted));
    } catch (error) {
      close();
      throw error;
    }
    watches.forEach(({ signal }) => signal.addEventListener('abort', end));
    return close;
  }
}
