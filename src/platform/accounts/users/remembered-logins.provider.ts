import { Injectable } from '@nestjs/common';
import { hash, randomBytes } from 'node:crypto';
import { Clock } from '../../../common/clock.js';
import { keepLatest } from '../../../common/keep-latest.js';
import type { LoggedIn } from '../../../common/ports/user-directory.js';
import { NoticedChanges } from '../../../database/notices/noticed-changes.js';
import { DatabaseNotices } from '../../../database/notices/notices.js';

/** Announced by triggers on the tables of accounts and app passwords, with the user id. */
const CHANNEL = 'gatefold_credentials';

/** Bounds staleness if the connection for notices is lost without being closed. */
const TRUSTED_MS = 2000;
const MOST_USERS = 10_000;
const MOST_OF_USER = 20;

export interface GivenCredentials {
  readonly userId: string;
  readonly password: string;
}

interface Remembered {
  readonly loggedIn: LoggedIn;
  readonly untilMs: number;
}

/**
 * Logins of the last seconds, for routes that allow them: no statement per request. Holds only digests
 * of credentials with a secret of this process.
 *
 * A change of an account or app password ends them: at once in the process that makes it, in others
 * with the notice that the database sends when the change is committed. While no notices are received,
 * nothing is remembered.
 */
@Injectable()
export class RememberedLogins {
  readonly #key = randomBytes(32).toString('base64');
  /** Keyed by user, then by digest; the longest remembered user first. */
  readonly #logins = new Map<string, Map<string, Remembered>>();
  /** Users by digest of a secret that names none; the entry is in `#logins`. */
  readonly #usersOfSecrets = new Map<string, string>();
  readonly #changes: NoticedChanges;

  constructor(
    private readonly clock: Clock,
    notices: DatabaseNotices,
  ) {
    this.#changes = new NoticedChanges(notices, CHANNEL, (userId) => this.#forget(userId));
  }

  find(credentials: GivenCredentials): LoggedIn | null {
    return this.#find(credentials.userId, this.#digest(credentials));
  }

  /** @param secret a token or key that was sent without a user id */
  findBySecret(secret: string): LoggedIn | null {
    const digest = this.#digest({ userId: '', password: secret });
    const userId = this.#usersOfSecrets.get(digest);
    return userId === undefined ? null : this.#find(userId, digest);
  }

  /** Changes seen so far; must be read before the rows from which a login is remembered. */
  get changes(): number {
    return this.#changes.count;
  }

  /** Remembers nothing if there was a change since `changesBefore`: the rows may be older than it. */
  remember(credentials: GivenCredentials, loggedIn: LoggedIn, changesBefore: number): void {
    this.#remember(credentials.userId, this.#digest(credentials), loggedIn, changesBefore);
  }

  /** Like `remember`, for a token or key that was sent without a user id. */
  rememberSecret(secret: string, loggedIn: LoggedIn, changesBefore: number): void {
    const { userId } = loggedIn.account;
    const digest = this.#digest({ userId: '', password: secret });
    if (this.#remember(userId, digest, loggedIn, changesBefore)) {
      keepLatest(this.#usersOfSecrets, digest, userId, MOST_USERS);
    }
  }

  /** Call after each committed change of the account or of one of its app passwords. */
  forget(userId: string): void {
    this.#changes.note(userId);
  }

  /** @param userId null for all */
  #forget(userId: string | null): void {
    if (userId === null) {
      this.#logins.clear();
      this.#usersOfSecrets.clear();
    } else {
      this.#logins.delete(userId);
    }
  }

  #find(userId: string, digest: string): LoggedIn | null {
    const remembered = this.#logins.get(userId)?.get(digest);
    return remembered !== undefined && this.clock.now().getTime() < remembered.untilMs
      ? remembered.loggedIn
      : null;
  }

  #remember(userId: string, digest: string, loggedIn: LoggedIn, changesBefore: number): boolean {
    if (!this.#changes.areNoneSince(changesBefore)) {
      return false;
    }
    const ofUser = this.#logins.get(userId) ?? new Map<string, Remembered>();
    const untilMs = this.clock.now().getTime() + TRUSTED_MS;
    keepLatest(ofUser, digest, { loggedIn, untilMs }, MOST_OF_USER);
    keepLatest(this.#logins, userId, ofUser, MOST_USERS);
    return true;
  }

  #digest({ userId, password }: GivenCredentials): string {
    // Faster than an HMAC; digests stay in memory, so length extension is no risk.
    return hash('sha256', `${this.#key}${JSON.stringify([userId, password])}`, 'base64');
  }
}
