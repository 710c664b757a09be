import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../common/auth/assert-scope.js';
import type { ProgramLogins, ProgramLogin } from '../../../common/ports/program-logins.js';
import type { LoggedIn, LoginAttempt } from '../../../common/ports/user-directory.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { RememberedLogins } from '../../accounts/users/remembered-logins.provider.js';
import type { AppPasswordOwner } from '../app-passwords/app-passwords.repository.js';
import { AppPasswordsService } from '../app-passwords/app-passwords.service.js';
import { LoginService } from '../passwords/login.service.js';
import { LoginThrottle } from '../throttle/login-throttle.service.js';
import { UserDirectoryService } from './user-directory.service.js';

/** Logins of programs of the Google Reader and Fever APIs. */
@Injectable()
export class ProgramLoginsService implements ProgramLogins {
  constructor(
    private readonly directory: UserDirectoryService,
    private readonly login: LoginService,
    private readonly appPasswords: AppPasswordsService,
    private readonly remembered: RememberedLogins,
    private readonly throttle: LoginThrottle,
    private readonly events: SecurityEventsService,
  ) {}

  async logIn(attempt: LoginAttempt, userAgent: string): Promise<ProgramLogin | null> {
    const loggedIn = await this.directory.verify(attempt);
    if (loggedIn === null) {
      return null;
    }
    const { account, credential } = loggedIn;
    assertScope(credential, { room: 'reader', changes: false });
    const token =
      credential.kind === 'app password'
        ? attempt.password
        : await this.appPasswords.tokenOfProgram(account.userId, userAgent, attempt.clientAddress);
    return { account, token };
  }

  async byToken(token: string): Promise<LoggedIn | null> {
    return this.#recognize(token, async () => {
      const owner = await this.appPasswords.ownerOf(token);
      return this.#enter(owner, owner?.mayAdminister);
    });
  }

  async byFeverKey(key: string, clientAddress: string): Promise<LoggedIn | null> {
    const loggedIn = await this.#recognize(key.toLowerCase(), async () =>
      this.#enter(await this.appPasswords.ownerOfFeverKey(key)),
    );
    if (loggedIn === null) {
      await this.#countWrongKey(clientAddress);
    }
    return loggedIn;
  }

  async #recognize(secret: string, read: () => Promise<LoggedIn | null>): Promise<LoggedIn | null> {
    const recent = this.remembered.findBySecret(secret);
    if (recent !== null) {
      return recent;
    }
    const { changes } = this.remembered;
    const loggedIn = await read();
    if (loggedIn !== null) {
      this.remembered.rememberSecret(secret, loggedIn, changes);
    }
    return loggedIn;
  }

  async #enter(owner: AppPasswordOwner | null, mayAdminister = false): Promise<LoggedIn | null> {
    if (owner === null || owner.disabled) {
      return null;
    }
    const { appPasswordId: id, scope } = owner;
    const credential = { kind: 'app password', id, mayAdminister, scope } as const;
    return { account: await this.login.enter(owner), credential };
  }

  async #countWrongKey(address: string): Promise<void> {
    const firstBlocked = await this.throttle.countWrongSecret(address);
    await this.events.record({ kind: 'login_failed', address, details: 'wrong Fever key' });
    if (firstBlocked) {
      await this.events.record({ kind: 'login_throttled', address });
    }
  }
}
