/** A subscription to the changes of one name. */
export interface ChangeWatch {
  /** Aborts with the first change. */
  readonly signal: AbortSignal;
  /** Unsubscribes. */
  close(): void;
}

/**
 * Port that notifies all processes of revoked access: of a user, because a session ended, a password was
 * changed, the account was disabled or lost administrator rights; of an external app, because it was
 * disabled, removed, got another secret or declared other routes. Connections kept open with that access
 * end then, and the client reconnects with its credentials. Implemented by `accounts/users`.
 */
export abstract class AccessChanges {
  /** Call after the change was committed. */
  abstract announce(userId: string): Promise<void>;

  /** Call after the change was committed. */
  abstract announceApp(appId: string): Promise<void>;

  /**
   * Resolves once subscribed: every later change aborts the signal; in a request of an external app for the
   * user, changes of the app do too.
   *
   * @param sinceMs `performance.now()` before the access was decided: the signal is aborted already if a
   *   change came since, or may have been missed
   */
  abstract watch(userId: string, sinceMs?: number): Promise<ChangeWatch>;

  /**
   * The same for an app. Changes that may have been missed abort the signal, too: nothing else decides again
   * about connections to apps.
   */
  abstract watchApp(appId: string, sinceMs?: number): Promise<ChangeWatch>;
}
