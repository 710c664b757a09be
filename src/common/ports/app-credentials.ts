import { Offer } from './offer.js';

/** An authenticated external app. */
export interface CallingApp {
  readonly appId: string;
  /** Display name. */
  readonly name: string;
  /** Registered version, which may be older than the app's actual one. */
  readonly version: string;
  readonly enabled: boolean;
  /**
   * Whether it is being installed or updated: it may then report its progress without being
   * enabled.
   */
  readonly beingInstalled: boolean;
}

/** Port to the external apps' credentials; implemented by the app-api room. */
export interface AppCredentials {
  /**
   * Constant-time for unknown apps and wrong secrets.
   *
   * @returns null for both
   */
  verify(appId: string, secret: string): Promise<CallingApp | null>;

  /**
   * Logs for the operator of the app that the host rejected a call. Rate-limited per reason, since any
   * client can send the app's id. Does not wait.
   *
   * @param reason a clause without secrets
   */
  noteRefusal(appId: string, reason: string, clientAddress: string): void;

  /** Stores the version that the app sends, if it is newer. */
  noteVersion(app: CallingApp, version: string): Promise<void>;
}

export class AppCredentialsOffer extends Offer<AppCredentials> {}
