import { Injectable } from '@nestjs/common';
import { AccessChanges } from '../../common/ports/access-changes.js';
import type { AdmittedProxyRequest } from './proxy-gate.js';

/**
 * An exchange with an app lasts as long as both sides like, but no longer than the credentials it
 * was opened with, and than the app is enabled.
 */
@Injectable()
export class ConnectionEnds {
  constructor(private readonly access: AccessChanges) {}

  /**
   * @param end called when the user's access changes, or the app is disabled; maybe more than once
   * @returns to be called when the exchange is over
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
