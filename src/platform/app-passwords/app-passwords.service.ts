import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { AdministratorRequired } from '../../common/auth/auth.errors.js';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { Clock } from '../../common/clock.js';
import { AccessChanges } from '../../common/ports/access-changes.js';
import { hashOf } from '../../common/secrets/token-hash.js';
import {
  AccountNotFound,
  AppPasswordNotFound,
  InvalidAppPasswordName,
} from '../platform.errors.js';
import { SecurityEventsService } from '../security/security-events.service.js';
import { AppPasswordsRepository, type AppPasswordOwner } from './app-passwords.repository.js';
import { UsersRepository, type AccountRow } from '../users/users.repository.js';

/** An app password as its owner sees it; the token is shown only at creation. */
export interface AppPassword {
  readonly id: number;
  readonly name: string;
  readonly mayAdminister: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

interface AppPasswordOptions {
  readonly clientAddress?: string | undefined;
  /** Gives the program the administrator rights of its user. Default false. */
  readonly mayAdminister?: boolean | undefined;
}

const TOKEN_BYTES = 32;
const TOKEN_SHAPE = /^gf-[A-Za-z0-9_-]{43}$/;
const REMEMBER_USE_EVERY_SECONDS = 60;

/**
 * Passwords for single programs. Long and random, so without slow hash or throttle. A revoked one
 * stops working with the next request.
 */
@Injectable()
export class AppPasswordsService {
  constructor(
    private readonly appPasswords: AppPasswordsRepository,
    private readonly users: UsersRepository,
    private readonly accessChanges: AccessChanges,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * @returns the token, which cannot be recovered later
   * @throws AccountNotFound
   * @throws InvalidAppPasswordName
   * @throws AdministratorRequired for one with administrator rights, unless the user is an
   *   administrator
   * @throws LimitReached
   */
  async add(
    userId: string,
    name: string,
    { clientAddress, mayAdminister = false }: AppPasswordOptions = {},
  ): Promise<{ id: number; token: string }> {
    const trimmed = name.trim();
    if (trimmed === '' || trimmed.length > 200 || /\p{Cc}/u.test(trimmed)) {
      throw new InvalidAppPasswordName();
    }
    const { isAdmin } = await this.#user(userId);
    if (mayAdminister && !isAdmin) {
      throw new AdministratorRequired();
    }
    const most = this.config.limits['app-passwords-per-user'];
    const count = await this.appPasswords.count(userId, most);
    assertBelowLimit(this.config, 'app-passwords-per-user', count);
    const token = newToken();
    const id = await this.appPasswords.add(userId, { name: trimmed, mayAdminister }, hashOf(token));
    const details = mayAdminister ? `${trimmed} (for administration)` : trimmed;
    const event = { userId, address: clientAddress, details };
    await this.events.record({ kind: 'app_password_created', ...event });
    return { id, token };
  }

  /** @throws AccountNotFound */
  async list(userId: string): Promise<AppPassword[]> {
    await this.#user(userId);
    const found = await this.appPasswords.list(userId);
    return found.map(({ id, name, mayAdminister, createdAt, lastUsedAt }) => ({
      id,
      name,
      mayAdminister,
      createdAt,
      lastUsedAt: lastUsedAt ?? null,
    }));
  }

  /** @throws AppPasswordNotFound */
  async revoke(userId: string, id: number, clientAddress?: string): Promise<void> {
    const name = await this.appPasswords.delete(userId, id);
    if (name === null) {
      throw new AppPasswordNotFound(userId, id);
    }
    await this.accessChanges.announce(userId);
    const event = { userId, address: clientAddress, details: name };
    await this.events.record({ kind: 'app_password_revoked', ...event });
  }

  /**
   * Replaces the token of an app password.
   *
   * @returns the new token
   * @throws AppPasswordNotFound when it was revoked meanwhile
   */
  async rotate(userId: string, id: number): Promise<string> {
    const token = newToken();
    if (!(await this.appPasswords.changeTokenHash(userId, id, hashOf(token)))) {
      throw new AppPasswordNotFound(userId, id);
    }
    return token;
  }

  /** @returns the account of the app password, disabled or not; null for an unknown one */
  async ownerOf(password: string): Promise<AppPasswordOwner | null> {
    if (!TOKEN_SHAPE.test(password)) {
      return null;
    }
    const owner = await this.appPasswords.findOwner(hashOf(password));
    if (owner !== null && this.#isStale(owner.lastUsedSeconds)) {
      await this.appPasswords.changeLastUsed(owner.appPasswordId, this.clock.now());
    }
    return owner;
  }

  #isStale(lastUsedSeconds: number): boolean {
    return this.clock.nowSeconds() - lastUsedSeconds >= REMEMBER_USE_EVERY_SECONDS;
  }

  async #user(userId: string): Promise<AccountRow> {
    const row = await this.users.find(userId);
    if (row === null) {
      throw new AccountNotFound(userId);
    }
    return row;
  }
}

function newToken(): string {
  return `gf-${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}
