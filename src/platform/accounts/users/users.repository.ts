import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { AccountAlreadyExists, LastAdministrator } from '../../platform.errors.js';
import { OidcIdentityEntity, type OidcIdentity } from '../../sign-in/oidc/oidc-identity.entity.js';
import { LdapAccountEntity } from '../../sign-in/ldap/ldap-account.entity.js';
import { ScimUserEntity } from '../../sign-in/scim/scim-user.entity.js';
import { RememberedLogins } from '../../sign-in/passwords/remembered-logins.js';
import { AccountEntity } from './account.entity.js';
import {
  countAccounts,
  findAccount,
  findNameIgnoringCase,
  lockUntilCommit,
  searchAccounts,
  suggestAccounts,
  type AccountFilter,
  type AccountOrder,
  type AccountRow,
} from './accounts.sql.js';

export type { AccountFilter, AccountRow };

interface NewAccount {
  readonly userId: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly passwordHash: string;
  readonly isAdmin: boolean;
  readonly identity?: OidcIdentity | undefined;
  readonly provisioned?: ProvisionedUser | undefined;
  /** Id of the entry of a directory. */
  readonly ldapEntryId?: string | undefined;
}

/** What a provisioning service knows of an account. */
export type ProvisionedUser = Pick<ScimUserEntity, 'externalId' | 'givenName' | 'familyName'>;

type ChangedColumns = Partial<
  Pick<
    AccountEntity,
    | 'displayName'
    | 'email'
    | 'emailConfirmed'
    | 'passwordHash'
    | 'isAdmin'
    | 'disabledAt'
    | 'deletionRequestedAt'
  >
>;

/** Arbitrary number of the advisory lock for creating the first administrator. */
const FIRST_ADMINISTRATOR_LOCK = 4_706_002;

/** Arbitrary number of the advisory lock for names of new accounts. */
const NAMES_LOCK = 4_706_080;

/** Arbitrary number of the advisory lock for revoking or disabling an administrator. */
const ADMINISTRATORS_LOCK = 4_706_011;

export interface AccountSearch extends AccountFilter {
  /** By default by the user id. */
  readonly order?: AccountOrder;
  /** All by default. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface NameSuggestion {
  /** Part of the user id or display name, case-insensitive; empty matches all. */
  readonly text: string;
  /** The caller, who is left out. */
  readonly exceptUserId: string;
  readonly limit: number;
}

/** Accounts. */
@Injectable()
export class UsersRepository {
  constructor(
    private readonly database: Database,
    private readonly remembered: RememberedLogins,
  ) {}

  /** Runs with every request. */
  async find(userId: string): Promise<AccountRow | null> {
    return (await findAccount(this.database, userId)) ?? null;
  }

  /** By user id, disabled accounts included. */
  async list(): Promise<AccountRow[]> {
    return searchAccounts(this.database, { text: '' }, 'id', null, 0);
  }

  /** Disabled accounts included. Reads the whole table, for administrators. */
  async search(search: AccountSearch): Promise<AccountRow[]> {
    const { order = 'id', limit = null, offset = 0 } = search;
    return searchAccounts(this.database, search, order, limit, offset);
  }

  /** How many `search` finds on all pages. */
  async count(filter: AccountFilter): Promise<number> {
    return countAccounts(this.database, filter);
  }

  /** The name of an account that differs at most in case. */
  async findNameIgnoringCase(userId: string): Promise<string | undefined> {
    return findNameIgnoringCase(this.database, userId);
  }

  /** Enabled accounts, best match first. */
  async suggest({ text, exceptUserId, limit }: NameSuggestion): Promise<AccountRow[]> {
    return suggestAccounts(this.database, text, exceptUserId, limit);
  }

  /** Counts disabled administrators, too. */
  async hasAdministrator(): Promise<boolean> {
    return (await this.database.entities((em) => em.count(AccountEntity, { isAdmin: true }))) > 0;
  }

  /** @throws AccountAlreadyExists */
  async add({ identity, provisioned, ldapEntryId, ...account }: NewAccount): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        await lockUntilCommit(tx, NAMES_LOCK);
        const known = await findNameIgnoringCase(tx, account.userId);
        if (known !== undefined) {
          throw new AccountAlreadyExists(known);
        }
        await tx.em.insert(AccountEntity, account);
        if (identity !== undefined) {
          const { issuer, subject } = identity;
          await tx.em.insert(OidcIdentityEntity, { issuer, subject, userId: account.userId });
        }
        if (ldapEntryId !== undefined) {
          const { userId } = account;
          await tx.em.insert(LdapAccountEntity, { userId, entryId: ldapEntryId });
        }
        if (provisioned !== undefined) {
          await tx.em.insert(ScimUserEntity, { ...provisioned, userId: account.userId });
        }
      });
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) {
        throw new AccountAlreadyExists(account.userId);
      }
      throw error;
    }
  }

  /**
   * Adds the account unless an administrator or an account of that name exists. Serialised across
   * processes.
   *
   * @returns whether it was added
   */
  async addFirstAdministrator(account: Omit<NewAccount, 'isAdmin'>): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await lockUntilCommit(tx, FIRST_ADMINISTRATOR_LOCK);
      const others = { $or: [{ isAdmin: true }, { userId: account.userId }] };
      if ((await tx.em.count(AccountEntity, others)) > 0) {
        return false;
      }
      await tx.em.insert(AccountEntity, { ...account, isAdmin: true });
      return true;
    });
  }

  /** @returns false when there is no such account; so do the other changes */
  async changePasswordHash(userId: string, passwordHash: string): Promise<boolean> {
    return this.#change(userId, { passwordHash });
  }

  async changeDisplayName(userId: string, displayName: string): Promise<boolean> {
    return this.#change(userId, { displayName });
  }

  async changeEmail(
    userId: string,
    email: string | null,
    emailConfirmed: boolean,
  ): Promise<boolean> {
    return this.#change(userId, { email, emailConfirmed });
  }

  async confirmEmail(userId: string): Promise<boolean> {
    return this.#change(userId, { emailConfirmed: true });
  }

  /** @returns false also when the account is being deleted */
  async enable(userId: string): Promise<boolean> {
    const enabled = await this.database.entities((em) =>
      em.nativeUpdate(AccountEntity, { userId, deletionRequestedAt: null }, { disabledAt: null }),
    );
    return enabled > 0;
  }

  /** The account can no longer be enabled, and `toBeDeleted` lists it. */
  async requestDeletion(userId: string, at: Date): Promise<boolean> {
    return this.#change(userId, { deletionRequestedAt: at });
  }

  /** User ids of accounts whose deletion is requested and not complete, oldest request first. */
  async toBeDeleted(): Promise<string[]> {
    const rows = await this.database.entities((em) =>
      em.find(
        AccountEntity,
        { deletionRequestedAt: { $ne: null } },
        {
          fields: ['userId'],
          orderBy: { deletionRequestedAt: 'asc' },
          disableIdentityMap: true,
        },
      ),
    );
    return rows.map(({ userId }) => userId);
  }

  async makeAdministrator(userId: string): Promise<boolean> {
    return this.#change(userId, { isAdmin: true });
  }

  /** @throws LastAdministrator */
  async disable(userId: string, disabledAt: Date): Promise<boolean> {
    return this.#unlessLastAdministrator(userId, { disabledAt });
  }

  /** @throws LastAdministrator */
  async unmakeAdministrator(userId: string): Promise<boolean> {
    return this.#unlessLastAdministrator(userId, { isAdmin: false });
  }

  async changeLastLogin(userId: string, lastLoginAt: Date): Promise<boolean> {
    return (
      (await this.database.entities((em) =>
        em.nativeUpdate(AccountEntity, { userId }, { lastLoginAt }),
      )) > 0
    );
  }

  async delete(userId: string): Promise<boolean> {
    return this.#forgetting(
      userId,
      this.database.entities((em) => em.nativeDelete(AccountEntity, { userId })),
    );
  }

  /** Serialised, so that two administrators cannot demote each other at the same time. */
  async #unlessLastAdministrator(userId: string, values: ChangedColumns): Promise<boolean> {
    const changing = this.database.transaction(async (tx) => {
      await lockUntilCommit(tx, ADMINISTRATORS_LOCK);
      const able = await tx.em.find(
        AccountEntity,
        { isAdmin: true, disabledAt: null },
        { fields: ['userId'], limit: 2, disableIdentityMap: true },
      );
      if (able.length === 1 && able[0]?.userId === userId) {
        throw new LastAdministrator(userId);
      }
      return tx.em.nativeUpdate(AccountEntity, { userId }, values);
    });
    return this.#forgetting(userId, changing);
  }

  async #change(userId: string, values: ChangedColumns): Promise<boolean> {
    return this.#forgetting(
      userId,
      this.database.entities((em) => em.nativeUpdate(AccountEntity, { userId }, values)),
    );
  }

  /** @returns whether the change found the account */
  async #forgetting(userId: string, change: Promise<number>): Promise<boolean> {
    try {
      return (await change) > 0;
    } finally {
      this.remembered.forget(userId);
    }
  }
}
