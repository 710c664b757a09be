import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { AccountRow } from '../../accounts/users/accounts.sql.js';
import { LdapAccountEntity } from './ldap-account.entity.js';
import {
  findByEntry,
  isDisabledByDirectory,
  linkEntry,
  listLinked,
  markDisabled,
  updateProfile,
  type LinkedAccount,
} from './ldap-accounts.sql.js';

export type { LinkedAccount };

/** Accounts whose passwords the directory verifies. */
@Injectable()
export class LdapAccountsRepository {
  constructor(private readonly database: Database) {}

  async isLinked(userId: string): Promise<boolean> {
    return (await this.database.entities((em) => em.count(LdapAccountEntity, { userId }))) > 0;
  }

  async findByEntry(entryId: string): Promise<AccountRow | null> {
    return (await findByEntry(this.database, entryId)) ?? null;
  }

  /** @returns false if the account has another entry, or the entry another account */
  async link(userId: string, entryId: string): Promise<boolean> {
    return linkEntry(this.database, userId, entryId);
  }

  /** Updates display name and email if they changed in the directory. Values changed here are kept. */
  async updateProfile(
    userId: string,
    { name, email }: { readonly name: string | undefined; readonly email: string | undefined },
  ): Promise<void> {
    await updateProfile(this.database, userId, name ?? null, email ?? null);
  }

  async list(): Promise<LinkedAccount[]> {
    return listLinked(this.database);
  }

  async isDisabledByDirectory(userId: string): Promise<boolean> {
    return isDisabledByDirectory(this.database, userId);
  }

  async markDisabled(userId: string): Promise<void> {
    await markDisabled(this.database, userId);
  }
}
