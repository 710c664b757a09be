/** A person who may use Gatefold, as the rooms know them. Never holds a secret. */
export interface Account {
  /** Name used to log in; also the `userId` of both APIs. */
  readonly userId: string;
  readonly displayName: string;
  readonly isAdmin: boolean;
  /** Unix seconds; 0 before the first login. */
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

/** How somebody proved who they are. What programs hold may do less than people in person. */
export type Credential =
  | { readonly kind: 'password' | 'session' }
  | {
      readonly kind: 'app password';
      readonly id: number;
      /** Made for administration, by an administrator in person. */
      readonly mayAdminister: boolean;
    }
  | { readonly kind: 'external app'; readonly appId: string };

/** Somebody whose credentials are right, and what they were. */
export interface LoggedIn {
  readonly account: Account;
  readonly credential: Credential;
}

/** Whether the user is here in person: in a browser's session, or with the account's password. */
export function isInPerson(credential: Credential | undefined): boolean {
  return credential?.kind === 'password' || credential?.kind === 'session';
}

/**
 * Whether an administrator's credential is enough to change accounts, apps and daemons. A device
 * that was lost, and an external app, must not become the whole installation.
 */
export function mayAdminister(credential: Credential | undefined): boolean {
  return (
    isInPerson(credential) || (credential?.kind === 'app password' && credential.mayAdminister)
  );
}

/** Port to the accounts; answered by `platform/users`. */
export abstract class UserDirectory {
  /**
   * @returns the account and the kind of credential, or null for every kind of wrong credentials alike: unknown user, wrong
   *   password, disabled account
   * @throws TooManyLoginAttempts while the user or the address is blocked
   * @throws TooManyVerifications while more passwords wait to be checked than can be
   */
  abstract authenticate(attempt: LoginAttempt): Promise<LoggedIn | null>;

  /** @returns the account when it exists and is not disabled */
  abstract find(userId: string): Promise<Account | null>;

  /** Every account that is not disabled, by user id. */
  abstract list(): Promise<Account[]>;
}
