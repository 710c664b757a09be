import type { Account, LoggedIn, LoginAttempt } from './user-directory.js';

/** Login result for a program. */
export interface ProgramLogin {
  readonly account: Account;
  /** An app password, for `ProgramLogins.byToken`: base64url characters only. */
  readonly token: string;
}

/**
 * Port for programs that log in once and then send a token, or a key made from an app password;
 * implemented by `sign-in/credentials`.
 *
 * @see docs/decisions/0047-logins-of-programs.md
 */
export abstract class ProgramLogins {
  /**
   * An app password is its own token. An account password is traded for the app password of the
   * program, which is created at its first login; later logins of the program get the same one.
   *
   * @param userAgent header of the program, as received; names the app password
   * @returns null for wrong credentials of any kind
   * @throws SecondFactorRequired for the password of an account with a second factor
   * @throws TooManyLoginAttempts while the user or the address is blocked
   * @throws TooManyVerifications when the queue is full
   * @throws LimitReached for a user with too many app passwords
   * @throws OutsideOfScope for an app password that is not for the feed reader
   */
  abstract logIn(attempt: LoginAttempt, userAgent: string): Promise<ProgramLogin | null>;

  /**
   * Called for each request; caches the answer for two seconds, as `RememberedLogin` does.
   *
   * @returns null for an unknown or revoked token, or a disabled account
   */
  abstract byToken(token: string): Promise<LoggedIn | null>;

  /**
   * Called for each request of the Fever API. A wrong key counts as a failed login of the address; a right
   * one is always accepted. The credential never has administrator rights.
   *
   * @param key MD5 of `user:app password`, hexadecimal in either case; untrusted
   * @returns null for a wrong key
   * @throws TooManyLoginAttempts for a wrong key while the address is blocked
   */
  abstract byFeverKey(key: string, clientAddress: string): Promise<LoggedIn | null>;
}
