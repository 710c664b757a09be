import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { AccessChanges } from '../../../common/ports/access-changes.js';
import { AccountDeletionHooks } from '../../../common/ports/hooks.js';
import { Offer } from '../../../common/ports/offer.js';
import type { UserAccounts } from '../../../common/ports/user-accounts.js';
import type { Account } from '../../../common/ports/user-directory.js';
import {
  AccountAlreadyExists,
  AccountHeld,
  AccountNotFound,
  InvalidDisplayName,
  InvalidEmail,
} from '../../platform.errors.js';
import { generatePassword, NewPasswords } from '../passwords/new-passwords.service.js';
import { SecurityEventsService } from '../security/security-events.service.js';
import { isEmail } from './email.js';
import { assertUserId, isUserId } from './user-id.js';
import {
  toAccount,
  UsersRepository,
  type AccountFilter,
  type AccountRow,
  type AccountSearch,
  type NameSuggestion,
  type AccountLink,
} from './users.repository.js';

interface SessionsOfUsers {
  /** @param exceptId a session that remains */
  removeAllOfUser(userId: string, exceptId?: number): Promise<void>;
}

/** Sessions of browsers end with a changed password and with a disabled account. */
@Injectable()
export class BrowserSessionEnds extends Offer<SessionsOfUsers> {}

interface NewUser {
  readonly userId: string;
  readonly password: string;
  /** The user id when not given. */
  readonly displayName?: string | undefined;
  readonly email?: string | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly link?: AccountLink | undefined;
  /** Origin of the account, for the security events. */
  readonly details?: string;
}

/** An account as its operator sees it. */
export interface ListedUser extends Account {
  readonly disabled: boolean;
  readonly hasSecondFactor: boolean;
  readonly email: string | null;
  /** Whether links for the password may be sent to the address. */
  readonly emailConfirmed: boolean;
  readonly leaveAskedSeconds: number | null;
  readonly leavesSeconds: number | null;
  readonly heldSeconds: number | null;
  readonly heldUntilSeconds: number | null;
}

const LONGEST_DISPLAY_NAME = 200;

/** Manages accounts; `UserAccounts` for the commands of other rooms. */
@Injectable()
export class UsersService implements UserAccounts {
  constructor(
    private readonly users: UsersRepository,
    private readonly newPasswords: NewPasswords,
    private readonly sessions: BrowserSessionEnds,
    private readonly events: SecurityEventsService,
    private readonly accessChanges: AccessChanges,
    private readonly deletionHooks: AccountDeletionHooks,
    private readonly clock: Clock,
  ) {}

  /** @returns null if unknown or disabled */
  async find(userId: string): Promise<Account | null> {
    const row = isUserId(userId) ? await this.users.find(userId) : null;
    return row === null || row.disabled ? null : toAccount(row);
  }

  /** Whether a directory, an identity provider or a provisioning service manages the account. */
  async isManaged(userId: string): Promise<boolean> {
    return this.users.isManaged(userId);
  }

  /** Enabled accounts, by user id. */
  async list(): Promise<Account[]> {
    const rows = await this.users.list();
    return rows.filter(({ disabled }) => !disabled).map((row) => toAccount(row));
  }

  /** Every account, disabled ones too, by user id. */
  async listAll(): Promise<ListedUser[]> {
    return (await this.users.list()).map(toListedUser);
  }

  async allUserIds(): Promise<string[]> {
    return (await this.users.list()).map(({ userId }) => userId);
  }

  async requireActive(userId: string): Promise<void> {
    if ((await this.find(userId)) === null) {
      throw new AccountNotFound(userId);
    }
  }

  assertUserId(userId: string): void {
    assertUserId(userId);
  }

  async create(userId: string): Promise<string> {
    const password = generatePassword();
    await this.add({ userId, password });
    return password;
  }

  /** Disabled ones too. */
  async search(search: AccountSearch): Promise<ListedUser[]> {
    return (await this.users.search(search)).map(toListedUser);
  }

  /** Number of all matches of `search`. */
  async count(filter: AccountFilter): Promise<number> {
    return this.users.count(filter);
  }

  /**
   * Suggestions for user fields, best match first. For all users, so only names are searched and
   * shown.
   */
  async suggest(suggestion: NameSuggestion): Promise<Account[]> {
    return (await this.users.suggest(suggestion)).map((row) => toAccount(row));
  }

  /**
   * The account, also when it is disabled.
   *
   * @throws AccountNotFound
   */
  async show(userId: string): Promise<ListedUser> {
    const row = isUserId(userId) ? await this.users.find(userId) : null;
    if (row === null) {
      throw new AccountNotFound(userId);
    }
    return toListedUser(row);
  }

  /**
   * Validates the input of `add` without adding.
   *
   * @param password empty: not checked
   * @throws the errors of `add`
   */
  async check({ userId, password, displayName = '', email = '' }: NewUser): Promise<void> {
    assertUserId(userId);
    displayNameFrom(displayName.trim() || userId);
    emailFrom(email);
    if (password !== '') {
      this.newPasswords.assertAllowed(password, userId);
    }
    const known = await this.users.findNameIgnoringCase(userId);
    if (known !== undefined) {
      throw new AccountAlreadyExists(known);
    }
  }

  async add({ password, ...user }: NewUser): Promise<void> {
    assertUserId(user.userId);
    await this.#add(user, await this.newPasswords.hash(password, user.userId));
  }

  /**
   * Adds the account of a user who logs in elsewhere, with a random password. Does nothing if it exists,
   * since a concurrent login may have added it.
   */
  async addFromElsewhere(user: Omit<NewUser, 'password'>): Promise<void> {
    assertUserId(user.userId);
    try {
      await this.#add(user, await this.newPasswords.unknown());
    } catch (error) {
      if (!(error instanceof AccountAlreadyExists)) {
        throw error;
      }
    }
  }

  async #add(
    { userId, displayName, email, isAdmin = false, link, details }: Omit<NewUser, 'password'>,
    passwordHash: string,
  ): Promise<void> {
    await this.users.add({
      userId,
      displayName: displayNameFrom(displayName?.trim() || userId),
      email: emailFrom(email ?? ''),
      isAdmin,
      link,
      passwordHash,
    });
    const asAdmin = isAdmin ? 'with administrator rights' : undefined;
    await this.events.record({ kind: 'user_created', userId, details: details ?? asAdmin });
  }

  async changeDisplayName(userId: string, displayName: string): Promise<void> {
    const name = displayNameFrom(displayName);
    assertFound(await this.users.changeDisplayName(userId, name), userId);
    await this.events.record({ kind: 'user_changed', userId, details: `display name: ${name}` });
  }

  /**
   * @param email empty for none
   * @param isConfirmed whether links for the password may be sent there: the owner has proved the account
   *   password, or an administrator sets it
   */
  async changeEmail(userId: string, email: string, isConfirmed = true): Promise<void> {
    const changed = await this.users.changeEmail(userId, emailFrom(email), isConfirmed);
    assertFound(changed, userId);
    await this.events.record({ kind: 'user_changed', userId, details: 'mail address' });
  }

  /** Allows password links to the account's present address. */
  async confirmEmail(userId: string): Promise<void> {
    assertFound(await this.users.confirmEmail(userId), userId);
    await this.events.record({ kind: 'user_changed', userId, details: 'mail address confirmed' });
  }

  async makeAdministrator(userId: string): Promise<void> {
    assertFound(await this.users.makeAdministrator(userId), userId);
    await this.events.record({ kind: 'rights_granted', userId });
  }

  async unmakeAdministrator(userId: string): Promise<void> {
    assertFound(await this.users.unmakeAdministrator(userId), userId);
    await this.accessChanges.announce(userId);
    await this.events.record({ kind: 'rights_taken', userId });
  }

  /**
   * The old password stops working with the next request, and other sessions end; app passwords
   * remain valid.
   *
   * @param sessionId the caller's session, which remains
   */
  async changePassword(userId: string, password: string, sessionId?: number): Promise<void> {
    const passwordHash = await this.newPasswords.hash(password, userId);
    assertFound(await this.users.changePasswordHash(userId, passwordHash), userId);
    await this.sessions.required.removeAllOfUser(userId, sessionId);
    await this.accessChanges.announce(userId);
    await this.events.record({ kind: 'password_changed', userId });
  }

  /** Keeps the user's data, but rejects every login, app passwords included. */
  async disable(userId: string): Promise<void> {
    assertFound(await this.users.disable(userId, this.clock.now()), userId);
    await this.sessions.required.removeAllOfUser(userId);
    await this.accessChanges.announce(userId);
    await this.events.record({ kind: 'user_disabled', userId });
  }

  async enable(userId: string): Promise<void> {
    assertFound(await this.users.enable(userId), userId);
    await this.events.record({ kind: 'user_enabled', userId });
  }

  /**
   * Deletes the account and its data in all rooms. Takes minutes for large accounts. Can be
   * repeated after an interruption.
   *
   * @throws AccountHeld
   */
  async delete(userId: string): Promise<void> {
    await this.requestDeletion(userId);
    await this.finishDeletion(userId);
  }

  /**
   * Disables the account; `finishDeletion` is then repeated until it is deleted.
   *
   * @throws AccountHeld
   */
  async requestDeletion(userId: string): Promise<void> {
    await this.assertNotHeld(userId);
    // Disabled first, so that no request adds data during the deletion.
    await this.disable(userId);
    if (!(await this.users.requestDeletion(userId, this.clock.now()))) {
      await this.assertNotHeld(userId);
    }
  }

  /**
   * @throws AccountNotFound
   * @throws AccountHeld
   */
  async assertNotHeld(userId: string): Promise<void> {
    AccountHeld.unless((await this.show(userId)).heldSeconds === null, userId);
  }

  /** @throws AccountNotFound when another process finished first */
  async finishDeletion(userId: string): Promise<void> {
    await this.deletionHooks.run(userId);
    assertFound(await this.users.delete(userId), userId);
    await this.events.record({ kind: 'user_deleted', userId });
  }

  /** User ids of accounts with an incomplete deletion. */
  async toBeDeleted(): Promise<string[]> {
    return this.users.toBeDeleted();
  }
}

function toListedUser(row: AccountRow): ListedUser {
  const { disabled, hasSecondFactor, email, emailConfirmed } = row;
  const { leaveAskedSeconds, leavesSeconds, heldSeconds, heldUntilSeconds } = row;
  return {
    ...toAccount(row),
    disabled,
    hasSecondFactor,
    email,
    emailConfirmed,
    leaveAskedSeconds,
    leavesSeconds,
    heldSeconds,
    heldUntilSeconds,
  };
}

function displayNameFrom(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > LONGEST_DISPLAY_NAME || /\p{Cc}/u.test(trimmed)) {
    throw new InvalidDisplayName();
  }
  return trimmed;
}

function emailFrom(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '') {
    return null;
  }
  InvalidEmail.unless(isEmail(trimmed));
  return trimmed;
}

function assertFound(found: boolean, userId: string): void {
  AccountNotFound.unless(found, userId);
}
