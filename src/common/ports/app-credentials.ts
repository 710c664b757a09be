/** An external app that was let in. */
export interface CallingApp {
  readonly appId: string;
  /** As the gateway knows it, which may be older than what the app says. */
  readonly version: string;
  readonly enabled: boolean;
  /** Whether an installation or update goes on: it may then report its progress, not enabled. */
  readonly beingInstalled: boolean;
}

/** Port to the external apps' credentials; answered by the app-api room. */
export abstract class AppCredentials {
  /**
   * Takes the same time for an unknown app as for a wrong secret.
   *
   * @returns null for both alike
   */
  abstract verify(appId: string, secret: string): Promise<CallingApp | null>;

  /**
   * Lets the operator of the app know that the host refused one of its calls. Anybody may claim to be
   * the app, so it is noted once in a while for each reason. Waits for nothing.
   *
   * @param reason a clause without secrets
   */
  abstract noteRefusal(appId: string, reason: string, clientAddress: string): void;

  /** Notes the version that the app says it has, when it is above the known one. */
  abstract noteVersion(app: CallingApp, version: string): Promise<void>;
}
