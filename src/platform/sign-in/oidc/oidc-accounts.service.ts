import { Injectable, Logger } from '@nestjs/common';
import { ManagedGroupsService } from '../../accounts/groups/managed-groups.service.js';
import { toldProfile, type ToldProfile } from '../../accounts/users/told-profile.js';
import { isUserId } from '../../accounts/users/user-id.js';
import { UsersRepository, type AccountRow } from '../../accounts/users/users.repository.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { OidcSettings } from '../oidc.settings.js';
import type { ProvenUser } from './identity-provider.service.js';
import { OidcLoginFailed } from './oidc.errors.js';
import { OidcRepository } from './oidc.repository.js';

/**
 * Maps users of the identity provider to accounts by issuer and subject, so a later change of name
 * has no effect. An existing account is never matched by name alone, unless
 * `GATEFOLD_OIDC_LINK_ACCOUNTS` is on.
 */
@Injectable()
export class OidcAccountsService {
  readonly #logger = new Logger('IdentityProvider');

  constructor(
    private readonly oidc: OidcRepository,
    private readonly users: UsersService,
    private readonly accounts: UsersRepository,
    private readonly groups: ManagedGroupsService,
    private readonly settings: OidcSettings,
  ) {}

  /**
   * @returns the user id
   * @throws OidcLoginFailed
   */
  async accountFor(user: ProvenUser): Promise<string> {
    const account = (await this.oidc.findAccount(user)) ?? (await this.#firstTime(user));
    if (account.disabled) {
      throw new OidcLoginFailed('disabled');
    }
    await this.oidc.followProfile(user, profileOf(user));
    await this.#followGroups(user, account);
    return account.userId;
  }

  async #firstTime(user: ProvenUser): Promise<AccountRow> {
    const userId = textClaim(user, this.settings.userClaim);
    if (userId === undefined || !isUserId(userId)) {
      const given = userId === undefined ? 'nothing' : JSON.stringify(userId);
      this.#logger.warn(`the claim ${this.settings.userClaim} of ${user.subject} is ${given}`);
      throw new OidcLoginFailed('no-usable-name');
    }
    await ((await this.accounts.find(userId)) === null
      ? this.#create(user, userId)
      : this.#link(user, userId));
    const account = await this.oidc.findAccount(user);
    if (account === null) {
      throw new OidcLoginFailed('name-taken');
    }
    return account;
  }

  async #create(user: ProvenUser, userId: string): Promise<void> {
    if (!this.settings.createAccounts) {
      this.#logger.warn(`there is no account "${userId}" for the subject ${user.subject}`);
      throw new OidcLoginFailed('no-account');
    }
    await this.users.addFromElsewhere({
      userId,
      displayName: profileOf(user).name,
      email: profileOf(user).email,
      link: this.oidc.linkOfNew(user),
    });
  }

  async #link(user: ProvenUser, userId: string): Promise<void> {
    if (!this.settings.linkAccounts || !(await this.oidc.link(user, userId))) {
      this.#logger.warn(`account ${userId} exists, but is not linked to ${user.subject}`);
      throw new OidcLoginFailed('name-taken');
    }
  }

  /** Runs with every login, so that a right revoked at the provider is revoked here. */
  async #followGroups(user: ProvenUser, account: AccountRow): Promise<void> {
    const { adminGroup, groupsClaim, followGroups, groupPrefix } = this.settings;
    const groups = groupsOf(user, groupsClaim);
    if (followGroups) {
      const names = groups.map((name) => groupPrefix + name);
      await this.groups.follow('oidc', account.userId, names);
    }
    if (adminGroup !== undefined) {
      await this.groups.followRights(account, groups.includes(adminGroup));
    }
  }
}

/** A list or one word. Keycloak begins paths of groups with a slash. */
function groupsOf({ claims }: ProvenUser, claim: string): string[] {
  return [claims[claim]]
    .flat()
    .filter((name) => typeof name === 'string')
    .map((name) => name.replace(/^\//, ''));
}

function textClaim({ claims }: ProvenUser, name: string): string | undefined {
  const value = claims[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function profileOf(user: ProvenUser): ToldProfile {
  return toldProfile(textClaim(user, 'name'), textClaim(user, 'email'));
}
