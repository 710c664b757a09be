import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { PersonalData } from '../../common/ports/personal-data.js';
import {
  UserDirectory,
  type Account,
  type LoginAttempt,
} from '../../common/ports/user-directory.js';
import { SecurityEventsService } from '../security/security-events.service.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { AccountNotFound, InvalidPassword } from '../platform.errors.js';
import { LogInService, toAccount } from './log-in.service.js';
import { PasswordHash } from './password-hash.js';
import { assertUserId, isUserId } from './user-id.js';
import { UsersRepository } from './users.repository.js';

export interface NewUser {
  readonly userId: string;
  readonly password: string;
  /** The user id when not given. */
  readonly displayName?: string | undefined;
  readonly isAdmin?: boolean | undefined;
}

/** An account as its operator sees it. */
export interface ListedUser extends Account {
  readonly disabled: boolean;
}

const SHORTEST_PASSWORD = 8;
const LONGEST_PASSWORD = 1024;

/** The accounts: answers the port for the rooms, and the operator's commands. */
@Injectable()
export class UsersService extends UserDirectory {
  constructor(
    private readonly users: UsersRepository,
    private readonly logIn: LogInService,
    private readonly passwordHash: PasswordHash,
    private readonly sessions: SessionsRepository,
    private readonly events: SecurityEventsService,
    private readonly personalData: PersonalData,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async authenticate(attempt: LoginAttempt): Promise<Account | null> {
    return this.logIn.authenticate(attempt);
  }

  override async find(userId: string): Promise<Account | null> {
    const row = isUserId(userId) ? await this.users.find(userId) : null;
    return row === null || row.disabled ? null : toAccount(row);
  }

  override async list(): Promise<Account[]> {
    const rows = await this.users.list();
    return rows.filter(({ disabled }) => !disabled).map((row) => toAccount(row));
  }

  /** Every account, disabled ones too, by user id. */
  async listAll(): Promise<ListedUser[]> {
    const rows = await this.users.list();
    return rows.map((row) => Object.assign(toAccount(row), { disabled: row.disabled }));
  }

  /**
   * @throws InvalidUserId
   * @throws InvalidPassword
   * @throws AccountAlreadyExists
   */
  async add({ userId, password, displayName, isAdmin = false }: NewUser): Promise<void> {
    assertUserId(userId);
    assertPassword(password);
    const passwordHash = await this.passwordHash.of(password);
    await this.users.add({
      userId,
      displayName: displayName?.trim() || userId,
      passwordHash,
      isAdmin,
    });
    await this.events.record({ kind: 'user_created', userId });
  }

  /**
   * The old password stops working with the next request, and browsers have to log in again; app
   * passwords go on.
   *
   * @param sessionId the session that goes on, being the one in which the password is changed
   * @throws InvalidPassword
   * @throws AccountNotFound
   */
  async changePassword(userId: string, password: string, sessionId?: number): Promise<void> {
    assertPassword(password);
    const passwordHash = await this.passwordHash.of(password);
    assertFound(await this.users.changePasswordHash(userId, passwordHash), userId);
    await this.sessions.removeAllOfUser(userId, sessionId);
    await this.events.record({ kind: 'password_changed', userId });
  }

  /**
   * Keeps everything of the user, but lets nobody in, app passwords included.
   *
   * @throws AccountNotFound
   */
  async disable(userId: string): Promise<void> {
    assertFound(await this.users.changeDisabledAt(userId, this.clock.now()), userId);
    await this.sessions.removeAllOfUser(userId);
    await this.events.record({ kind: 'user_disabled', userId });
  }

  /** @throws AccountNotFound */
  async enable(userId: string): Promise<void> {
    assertFound(await this.users.changeDisabledAt(userId, null), userId);
    await this.events.record({ kind: 'user_enabled', userId });
  }

  /**
   * Removes the account and everything that any room keeps about the user. Can be repeated when it
   * was cut short.
   *
   * @throws AccountNotFound
   */
  async delete(userId: string): Promise<void> {
    // Disabled first, so that no request brings data back while it is being removed.
    await this.disable(userId);
    await this.personalData.erase(userId);
    assertFound(await this.users.delete(userId), userId);
    await this.events.record({ kind: 'user_deleted', userId });
  }
}

function assertPassword(password: string): void {
  if (password.length < SHORTEST_PASSWORD) {
    throw new InvalidPassword(`must have at least ${SHORTEST_PASSWORD} characters`);
  }
  if (password.length > LONGEST_PASSWORD) {
    throw new InvalidPassword(`must have at most ${LONGEST_PASSWORD} characters`);
  }
}

function assertFound(found: boolean, userId: string): void {
  if (!found) {
    throw new AccountNotFound(userId);
  }
}
