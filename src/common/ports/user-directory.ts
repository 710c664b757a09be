import type { AppPasswordScope } from './app-password-scope.js';
import { Offer } from './offer.js';

/** An account as other rooms see it. Contains no secrets. */
export interface Account {
  /** Login name; also the `userId` of both APIs. */
  readonly userId: string;
  readonly displayName: string;
  readonly isAdmin: boolean;
  /** Unix seconds; 0 before the first login. */
  readonly lastLoginSeconds: number;
}

/** Credentials of a request, and its client address. */
export interface LoginAttempt {
  readonly userId: string;
  /** The account's password or one of its app passwords. */
  readonly password: string;
  /** Client address behind trusted proxies. */
  readonly clientAddress: string;
}

/**
 * How the caller authenticated. Credentials of programs have fewer rights than sessions and account
 * passwords.
 */
export type Credential =
  | { readonly kind: 'password' | 'session' }
  | {
      readonly kind: 'app password';
      readonly id: number;
      /** Whether it has the administrator rights of its user. */
      readonly mayAdminister: boolean;
      readonly scope: AppPasswordScope;
    }
  | { readonly kind: 'external app'; readonly appId: string };

/** An authenticated account, and its credential. */
export interface LoggedIn {
  readonly account: Account;
  readonly credential: Credential;
}

/** Whether the credential is a session or the account's password. */
export function isInPerson(credential: Credential | undefined): boolean {
  return credential?.kind === 'password' || credential?.kind === 'session';
}

/**
 * Whether an administrator's credential may change accounts, apps and daemons. A lost device or an
 * external app must not suffice to take over the installation.
 */
export function mayAdminister(credential: Credential | undefined): boolean {
  return (
    isInPerson(credential) || (credential?.kind === 'app password' && credential.mayAdminister)
  );
}

/** Port to the accounts; implemented by `sign-in/credentials`. */
export abstract class UserDirectory {
  /**
   * @returns the account and the kind of credential; null for an unknown user, wrong password or
   *   disabled account
   * @throws SecondFactorRequired for the password of an account with a second factor
   * @throws TooManyLoginAttempts while the user or the address is blocked
   * @throws TooManyVerifications when the queue is full
   * @throws DirectoryUnavailable for users of a directory that cannot be reached
   */
  abstract authenticate(attempt: LoginAttempt): Promise<LoggedIn | null>;

  /**
   * Login without a statement, for routes with `RememberedLogin`.
   * @returns null unless the same credentials were right within the last two seconds
   */
  abstract recent(credentials: Pick<LoginAttempt, 'userId' | 'password'>): LoggedIn | null;

  /** @returns the account; null if unknown or disabled */
  abstract find(userId: string): Promise<Account | null>;

  /** All enabled accounts, by user id. */
  abstract list(): Promise<Account[]>;
}

export class UserDirectoryOffer extends Offer<UserDirectory> {}
