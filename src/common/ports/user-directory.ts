/** A person who may use Gatefold, as the rooms know them. Never holds a secret. */
export interface Account {
  /** Name used to log in; also the `userId` of both APIs. */
  readonly userId: string;
  readonly displayName: string;
  readonly isAdmin: boolean;
  /** Unix seconds; 0 before the first log-in. */
  readonly lastLoginSeconds: number;
}

/** Credentials as they arrive with a request, and where the request came from. */
export interface LoginAttempt {
  readonly userId: string;
  /** The account's password or one of its app passwords. */
  readonly password: string;
  /** Client address after trusted proxies were taken off. */
  readonly clientAddress: string;
}

/** Port to the accounts; answered by `platform/users`. */
export abstract class UserDirectory {
  /**
   * @returns the account, or null for every kind of wrong credentials alike: unknown user, wrong
   *   password, disabled account
   * @throws TooManyLoginAttempts while the user or the address is blocked
   * @throws TooManyVerifications while more passwords wait to be checked than can be
   */
  abstract authenticate(attempt: LoginAttempt): Promise<Account | null>;

  /** @returns the account when it exists and is not disabled */
  abstract find(userId: string): Promise<Account | null>;

  /** Every account that is not disabled, by user id. */
  abstract list(): Promise<Account[]>;
}
