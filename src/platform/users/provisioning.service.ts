import { Injectable } from '@nestjs/common';
import { mayAdminister, type Account, type Credential } from '../../common/ports/user-directory.js';
import { AdministrationRefused } from '../../common/auth/auth.errors.js';
import {
  AccountNotFound,
  AccountPasswordRequired,
  NotToOneself,
  UnknownUserField,
} from '../platform.errors.js';
import { AccountDeletions } from './account-deletions.js';
import { UsersService, type ListedUser } from './users.service.js';

/** Somebody who wants to change accounts. */
interface Actor {
  readonly account: Account;
  /** What proved who it is. */
  readonly credential: Credential | undefined;
}

/** What `edit` changes; `display` is another word for the first. */
export const EDITABLE_FIELDS = ['displayname', 'email', 'password'] as const;

/**
 * What may be done to accounts over HTTP: everything by administrators, except what would lock
 * themselves out; a little by everybody to their own. The command line has no such limits.
 */
@Injectable()
export class ProvisioningService {
  constructor(
    private readonly users: UsersService,
    private readonly deletions: AccountDeletions,
  ) {}

  /**
   * Of others only an administrator learns anything, not even whether they exist.
   *
   * @throws AccountNotFound
   */
  async show(actor: Account, userId: string): Promise<ListedUser> {
    assertMayKnow(actor, userId);
    return this.users.show(userId);
  }

  /**
   * Changes one field, named as clients name it.
   *
   * @throws AccountNotFound when there is no such user, or it is none of the actor's business
   * @throws AdministrationRefused for the account of somebody else
   * @throws AccountPasswordRequired for one's own password
   * @throws UnknownUserField
   * @throws InvalidDisplayName
   * @throws InvalidEmail
   * @throws InvalidPassword
   */
  async edit(actor: Actor, userId: string, key: string, value: string): Promise<void> {
    assertMayKnow(actor.account, userId);
    const isOwn = actor.account.userId === userId;
    if (!isOwn && !mayAdminister(actor.credential)) {
      throw new AdministrationRefused();
    }
    switch (key) {
      case 'displayname':
      case 'display':
        return this.users.changeDisplayName(userId, value);
      case 'email':
        return this.users.changeEmail(userId, value);
      case 'password':
        // A session or an app password that fell into wrong hands must not become the whole account.
        if (isOwn && actor.credential?.kind !== 'password') {
          throw new AccountPasswordRequired();
        }
        return this.users.changePassword(userId, value);
      default:
        throw new UnknownUserField(key);
    }
  }

  /**
   * @throws AccountNotFound
   * @throws NotToOneself
   */
  async disable(actor: Account, userId: string): Promise<void> {
    assertOther(actor, userId, 'disable yourself');
    await this.users.disable(userId);
  }

  /**
   * Nobody gets in from now on; a large account goes on being cleared away after the answer.
   *
   * @throws AccountNotFound
   * @throws NotToOneself
   */
  async delete(actor: Account, userId: string): Promise<void> {
    assertOther(actor, userId, 'delete yourself');
    await this.deletions.delete(userId);
  }

  /**
   * @throws AccountNotFound
   * @throws NotToOneself
   */
  async unmakeAdministrator(actor: Account, userId: string): Promise<void> {
    assertOther(actor, userId, 'take your own rights as an administrator');
    await this.users.unmakeAdministrator(userId);
  }
}

function assertMayKnow(actor: Account, userId: string): void {
  if (!actor.isAdmin && actor.userId !== userId) {
    throw new AccountNotFound(userId);
  }
}

function assertOther(actor: Account, userId: string, what: string): void {
  if (actor.userId === userId) {
    throw new NotToOneself(what);
  }
}
