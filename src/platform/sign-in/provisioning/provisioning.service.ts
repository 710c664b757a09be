import { Injectable } from '@nestjs/common';
import { AdministrationRefused, AdministratorRequired } from '../../../common/auth/auth.errors.js';
import { RecentProof } from '../../../common/auth/recent-proof.js';
import { Config } from '../../../common/config/config.js';
import type { Session } from '../../../common/ports/sessions.js';
import {
  mayAdminister,
  type Account,
  type Credential,
} from '../../../common/ports/user-directory.js';
import { AccountDeletions } from '../../accounts/users/account-deletions.task.js';
import { AccountQuotas } from '../../accounts/users/account-quotas.service.js';
import { assertMayKnow, assertOther } from '../../accounts/users/account-rights.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { MailService } from '../../installation/mail/mail.service.js';
import { AccountPasswordRequired, LoginRefused, UnknownUserField } from '../../platform.errors.js';
import { UserDirectoryService } from '../credentials/user-directory.service.js';
import { mayHavePassword } from '../sign-in.settings.js';

/** The caller of an account change. */
interface Actor {
  readonly account: Account;
  /** How the caller authenticated. */
  readonly credential: Credential | undefined;
  readonly session: Session | undefined;
  readonly clientAddress: string;
  /** The account's, sent with a change that needs it. */
  readonly password: string | undefined;
}

/** Fields of `edit` for the caller's own account; `display` is an alias of the first. */
export const EDITABLE_FIELDS = ['displayname', 'email', 'password'] as const;

/**
 * Account management over HTTP. Administrators may do everything except lock themselves out; other
 * users may edit a few fields of their own account. The CLI has no such limits.
 */
@Injectable()
export class ProvisioningService {
  constructor(
    private readonly users: UsersService,
    private readonly deletions: AccountDeletions,
    private readonly recentProof: RecentProof,
    private readonly mail: MailService,
    private readonly quotas: AccountQuotas,
    private readonly directory: UserDirectoryService,
    private readonly config: Config,
  ) {}

  /**
   * Changes one field, named as clients name it.
   *
   * @throws AccountNotFound for an unknown user, or one that the actor may not see
   * @throws AdministratorRequired for the caller's own quota
   * @throws AdministrationRefused for the account of another user, and for a quota
   * @throws ProofRequired for the account of another user, and for a quota
   * @throws AccountPasswordRequired for the caller's own password, and for an address that receives links
   * @throws LoginRefused when the caller's password is wrong
   * @throws UnknownUserField
   */
  async edit(actor: Actor, userId: string, key: string, value: string): Promise<void> {
    assertMayKnow(actor.account, userId);
    const isOwn = actor.account.userId === userId;
    if (!isOwn || key === 'quota') {
      this.#assertAdministers(actor);
    }
    switch (key) {
      case 'displayname':
      case 'display':
        return this.users.changeDisplayName(userId, value);
      case 'email':
        return this.users.changeEmail(userId, value, !isOwn || (await this.#provesOwner(actor)));
      case 'password':
        // A stolen session or app password must not suffice to take over the account.
        if (isOwn && actor.credential?.kind !== 'password') {
          throw new AccountPasswordRequired();
        }
        return this.users.changePassword(userId, value);
      case 'quota':
        await this.quotas.change(userId, value);
        return;
      default:
        throw new UnknownUserField(key);
    }
  }

  #assertAdministers({ account, credential, session }: Actor): void {
    AdministratorRequired.unless(account.isAdmin);
    AdministrationRefused.unless(mayAdminister(credential));
    this.recentProof.assert(session);
  }

  /**
   * The mails allow setting the password, so a session or app password does not suffice.
   *
   * @returns false without the password while no links are sent
   */
  async #provesOwner({ account, credential, password, clientAddress }: Actor): Promise<boolean> {
    const { userId } = account;
    if (credential?.kind === 'password') {
      return true;
    }
    if (password === undefined) {
      // No links are sent for passwords that are not taken.
      const mayGetLinks = this.mail.isConfigured && mayHavePassword(userId, this.config);
      if (!mayGetLinks || (await this.users.isManaged(userId))) {
        return false;
      }
      throw new AccountPasswordRequired();
    }
    const loggedIn = await this.directory.authenticate({ userId, password, clientAddress });
    if (loggedIn?.credential.kind !== 'password') {
      throw new LoginRefused();
    }
    return true;
  }

  async disable(actor: Account, userId: string): Promise<void> {
    assertOther(actor, userId, 'disable yourself');
    await this.users.disable(userId);
  }

  /** Disables the account at once; deleting a large account continues after the response. */
  async delete(actor: Account, userId: string): Promise<void> {
    assertOther(actor, userId, 'delete yourself');
    await this.deletions.delete(userId);
  }
}
