/** A subscription to the changes of one name. */
export interface ChangeWatch {
  /** Aborts with the first change. */
  readonly signal: AbortSignal;
  /** Unsubscribes. */
  close(): void;
}

/**
 * Port that tells all processes that a user's credentials may no longer be valid: a session ended, a
 * password was changed, the account was disabled, administrator rights were revoked. Connections kept
 * open for the user end then, and the client reconnects with its credentials. Answered by
 * `platform/users`.
 */
export abstract class AccessChanges {
  /** Call after the change was committed. */
  abstract announce(userId: string): Promise<void>;

  /** Resolves once subscribed: every change after that aborts the signal. */
  abstract watch(userId: string): Promise<ChangeWatch>;
}
