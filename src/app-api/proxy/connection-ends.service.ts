import { Injectable } from '@nestjs/common';
import { AccessChanges } from '../../common/ports/access-changes.js';
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
   */
  async watch({ app, account }: AdmittedProxyRequest, end: () => void): Promise<() => void> {
    const ofApp = await this.access.watchApp(app.appId);
    ofApp.signal.addEventListener('abort', end);
    if (account === undefined) {
      return () => ofApp.close();
    }
    try {
      const ofUser = await this.access.watch(account.userId);
      ofUser.signal.addEventListener('abort', end);
      return () => {
        ofApp.close();
        ofUser.close();
      };
    } catch (error) {
      ofApp.close();
      throw error;
    }
  }
}
