import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { AdministratorRequired } from '../../../common/auth/auth.errors.js';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import { nameOfUserAgent, programOf } from '../../../common/http/client-name.js';
import { AccessChanges } from '../../../common/ports/access-changes.js';
import { roomOf, type AppPasswordScope } from '../../../common/ports/app-password-scope.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { hashOf } from '../../../common/secrets/token-hash.js';
import { DAY_SECONDS, HOUR_SECONDS } from '../../../common/units.js';
import { LatestTimes } from '../../../database/latest-times.js';
import { Regularly } from '../../../database/regularly.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { UsersRepository, type AccountRow } from '../../accounts/users/users.repository.js';
import {
  AccountNotFound,
  AppPasswordNotFound,
  InvalidAppPasswordName,
  InvalidExpiry,
  ScopeTooNarrow,
} from '../../platform.errors.js';
import { SignInSettings } from '../sign-in.settings.js';
import {
  AppPasswordsRepository,
  type AppPasswordOwner,
  type ProgramToken,
} from './app-passwords.repository.js';
import { feverKeyHash, feverKeyOf, isToken, newToken } from './token.js';

/** An app password as its owner sees it; the token is shown only at creation. */
export interface AppPassword {
  readonly id: number;
  readonly name: string;
  readonly mayAdminister: boolean;
  /** Whether it has a key for the Fever API. */
  readonly hasFeverKey: boolean;
  readonly scope: AppPasswordScope;
  /** Null: until it is revoked. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

interface AppPasswordOptions {
  readonly clientAddress?: string | undefined;
  /** Gives the program the administrator rights of its user. Default false. */
  readonly mayAdminister?: boolean | undefined;
  /** Whether its key for the Fever API is stored too. Default false. */
  readonly fever?: boolean | undefined;
  /** Default: everything. */
  readonly scope?: AppPasswordScope | undefined;
  /** Default: as late as this installation allows. */
  readonly expiresAt?: Date | undefined;
}

/** A program that logs in with the account password. */
interface ProgramOfUser {
  readonly name: string;
  /** See `programOf`. */
  readonly program: string;
  readonly clientAddress: string;
}

const SEALED_FOR = 'token of a program';
const REMOVED_AT_ONCE = 500;

/**
 * Passwords for single programs. Long and random, so without slow hash or throttle. A revoked one
 * stops working with the next request.
 */
@Injectable()
export class AppPasswordsService implements BeforeApplicationShutdown {
  readonly #assertRoom = (stored: number): void =>
    assertBelowLimit(this.config, 'app-passwords-per-user', stored, 0);
  readonly #uses = new LatestTimes<number>((ids, times) =>
    this.appPasswords.changeLastUsed(ids, times),
  );

  constructor(
    private readonly appPasswords: AppPasswordsRepository,
    private readonly users: UsersRepository,
    private readonly accessChanges: AccessChanges,
    private readonly events: SecurityEventsService,
    private readonly secretBox: SecretBox,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly settings: SignInSettings,
  ) {}

  /**
   * @returns the token, which cannot be recovered later
   * @throws InvalidAppPasswordName
   * @throws AdministratorRequired for one with administrator rights, unless the user is an
   *   administrator
   * @throws ScopeTooNarrow for rights that the scope does not contain
   * @throws InvalidExpiry for a time in the past, or later than this installation allows
   */
  async add(
    userId: string,
    name: string,
    options: AppPasswordOptions = {},
  ): Promise<{ id: number; token: string; scope: AppPasswordScope; expiresAt: Date | null }> {
    const { clientAddress, mayAdminister = false, fever = false } = options;
    // A key that is typed into a feed reader opens nothing else.
    const { scope = fever && !mayAdminister ? 'reader' : 'everything' } = options;
    const trimmed = name.trim();
    if (trimmed === '' || trimmed.length > 200 || /\p{Cc}/u.test(trimmed)) {
      throw new InvalidAppPasswordName();
    }
    const { isAdmin } = await this.#user(userId);
    if (mayAdminister && !isAdmin) {
      throw new AdministratorRequired();
    }
    assertScopeHas(scope, { mayAdminister, fever });
    const expiresAt = this.#expiryOf(options.expiresAt);
    const token = newToken();
    const appPassword = {
      name: trimmed,
      mayAdminister,
      tokenHash: hashOf(token),
      feverKeyHash: fever ? feverKeyHash(feverKeyOf(userId, token)) : null,
      scope,
      expiresAt,
    };
    const id = await this.appPasswords.add(userId, appPassword, this.#assertRoom);
    const rights = [
      mayAdminister && 'for administration',
      fever && 'with Fever key',
      scope !== 'everything' && `scope ${scope}`,
      expiresAt !== null && `until ${expiresAt.toISOString()}`,
    ];
    const remark = rights.filter(Boolean).join(', ');
    const details = remark === '' ? trimmed : `${trimmed} (${remark})`;
    const event = { userId, address: clientAddress, details };
    await this.events.record({ kind: 'app_password_created', ...event });
    return { id, token, scope, expiresAt };
  }

  /**
   * The app password of a program that knows the account password. Created once: later calls give the
   * same token, until it is revoked or the secret key is lost.
   *
   * @param userAgent header of the program, as received
   */
  async tokenOfProgram(userId: string, userAgent: string, clientAddress: string): Promise<string> {
    const name = nameOfUserAgent(userAgent);
    const program = programOf(name);
    // Tried again when another process added, replaced or revoked it at the same time.
    for (;;) {
      const found = await this.appPasswords.findOfProgram(userId, program);
      if (found?.expiresAt && found.expiresAt <= this.clock.now()) {
        await this.removeExpired();
        continue;
      }
      const token =
        found === null
          ? await this.#addOfProgram(userId, { name, program, clientAddress })
          : await this.#open(userId, found);
      if (token !== null) {
        return token;
      }
    }
  }

  async list(userId: string): Promise<AppPassword[]> {
    await this.#user(userId);
    const found = await this.appPasswords.list(userId);
    return found.map(({ feverKeyHash: key, lastUsedAt, expiresAt, ...rest }) => ({
      ...rest,
      hasFeverKey: key !== null,
      lastUsedAt: lastUsedAt ?? null,
      expiresAt: expiresAt ?? null,
    }));
  }

  /** @throws AppPasswordNotFound */
  async revoke(userId: string, id: number, clientAddress?: string): Promise<void> {
    const name = AppPasswordNotFound.unless(await this.appPasswords.delete(userId, id), userId, id);
    await this.accessChanges.announce(userId);
    const event = { userId, address: clientAddress, details: name };
    await this.events.record({ kind: 'app_password_revoked', ...event });
  }

  /** Ends the access of all programs of a user. @throws AccountNotFound */
  async revokeAll(userId: string): Promise<void> {
    await this.#user(userId);
    const count = await this.appPasswords.deleteAll(userId);
    await this.accessChanges.announce(userId);
    await this.events.record({ kind: 'app_password_revoked', userId, details: `all ${count}` });
  }

  /**
   * Replaces the token of an app password, and its key for the Fever API if it has one.
   *
   * @returns the new token
   * @throws AppPasswordNotFound when it was revoked concurrently
   */
  async rotate(userId: string, id: number): Promise<string> {
    for (;;) {
      const former = await this.appPasswords.findTokenOf(userId, id);
      if (former === null) {
        throw new AppPasswordNotFound(userId, id);
      }
      const token = newToken();
      const changed = await this.appPasswords.changeToken(userId, id, former.tokenHash, {
        tokenHash: hashOf(token),
        sealedToken: former.sealedToken && this.#seal(token),
        feverKeyHash: former.feverKeyHash && feverKeyHash(feverKeyOf(userId, token)),
      });
      if (changed) {
        return token;
      }
    }
  }

  /** @returns the account of the app password, disabled or not; null for an unknown or expired one */
  async ownerOf(password: string): Promise<AppPasswordOwner | null> {
    return isToken(password)
      ? this.#used(await this.appPasswords.findOwner(hashOf(password)))
      : null;
  }

  /** @returns the account of the key, disabled or not; null for an unknown or expired one */
  async ownerOfFeverKey(key: string): Promise<AppPasswordOwner | null> {
    const keyHash = feverKeyHash(key);
    return keyHash && this.#used(await this.appPasswords.findOwnerOfFeverKey(keyHash));
  }

  /** Writes the times of last uses. A first use does not wait for it: `never` would be wrong. */
  @Regularly('last-uses', 60)
  async writeUses(): Promise<void> {
    await this.#uses.write();
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Stop even if the database is unavailable.
    await this.#uses.write().catch(() => {});
  }

  /** Removes expired app passwords, and ends the connections of their users. */
  @Regularly('app-passwords', HOUR_SECONDS)
  async removeExpired(): Promise<void> {
    let removed: Awaited<ReturnType<AppPasswordsRepository['removeExpired']>>;
    do {
      removed = await this.appPasswords.removeExpired(this.clock.now(), REMOVED_AT_ONCE);
      for (const { userId, name } of removed) {
        await this.accessChanges.announce(userId);
        await this.events.record({ kind: 'app_password_expired', userId, details: name });
      }
    } while (removed.length === REMOVED_AT_ONCE);
  }

  async #addOfProgram(
    userId: string,
    { name, program, clientAddress }: ProgramOfUser,
  ): Promise<string | null> {
    const token = newToken();
    const appPassword = {
      program,
      name,
      tokenHash: hashOf(token),
      sealedToken: this.#seal(token),
      expiresAt: this.#expiryOf(undefined),
    };
    if (!(await this.appPasswords.addOfProgram(userId, appPassword, this.#assertRoom))) {
      return null;
    }
    const event = { userId, address: clientAddress, details: `${name} (by account password)` };
    await this.events.record({ kind: 'app_password_created', ...event });
    return token;
  }

  /** Replaces a token that was sealed with another key. */
  async #open(
    userId: string,
    { id, tokenHash, sealedToken }: ProgramToken,
  ): Promise<string | null> {
    if (this.secretBox.opens(sealedToken, SEALED_FOR)) {
      return this.secretBox.open(sealedToken, SEALED_FOR);
    }
    const token = newToken();
    const changed = await this.appPasswords.changeToken(userId, id, tokenHash, {
      tokenHash: hashOf(token),
      sealedToken: this.#seal(token),
      feverKeyHash: null,
    });
    return changed ? token : null;
  }

  #seal(token: string): Buffer {
    return this.secretBox.seal(token, SEALED_FOR);
  }

  async #used(owner: AppPasswordOwner | null): Promise<AppPasswordOwner | null> {
    const expiresSeconds = owner?.expiresSeconds ?? Infinity;
    if (owner === null || expiresSeconds <= this.clock.nowSeconds()) {
      return null;
    }
    this.#uses.note(owner.appPasswordId, this.clock.now());
    if (owner.lastUsedSeconds === 0) {
      await this.#uses.write();
    }
    return owner;
  }

  /** @throws InvalidExpiry */
  #expiryOf(wanted: Date | undefined): Date | null {
    const days = this.settings.longestAppPasswordDays;
    const now = this.clock.now();
    const latest = days === 0 ? null : new Date(now.getTime() + days * DAY_SECONDS * 1000);
    if (wanted === undefined) {
      return latest;
    }
    if (wanted <= now || (latest !== null && wanted > latest)) {
      throw new InvalidExpiry(days);
    }
    return wanted;
  }

  async #user(userId: string): Promise<AccountRow> {
    return AccountNotFound.unless(await this.users.find(userId), userId);
  }
}

/** @throws ScopeTooNarrow */
function assertScopeHas(
  scope: AppPasswordScope,
  { mayAdminister, fever }: { readonly mayAdminister: boolean; readonly fever: boolean },
): void {
  const room = roomOf(scope);
  if (room !== null && (mayAdminister || (fever && room !== 'reader'))) {
    throw new ScopeTooNarrow();
  }
}
