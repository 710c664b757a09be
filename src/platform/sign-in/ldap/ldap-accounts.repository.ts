import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { LdapAccountEntity } from '../../accounts/users/account-links.entities.js';
import { type AccountRow, ACCOUNT_COLUMNS } from '../../accounts/users/accounts.sql.js';
import type { ToldProfile } from '../../accounts/users/told-profile.js';
import { followProfile } from '../../accounts/users/told-profile.sql.js';
import type { AccountLink } from '../../accounts/users/users.repository.js';

/** An account of the directory, for the check whether it is still there. */
export interface LinkedAccount {
  readonly userId: string;
  readonly entryId: string;
  readonly disabled: boolean;
  /** Whether it is disabled because the directory had no entry. */
  readonly disabledByDirectory: boolean;
}

/** Accounts whose passwords the directory verifies. */
@Injectable()
export class LdapAccountsRepository {
  constructor(private readonly database: Database) {}

  async isLinked(userId: string): Promise<boolean> {
    return (await this.database.entities((em) => em.count(LdapAccountEntity, { userId }))) > 0;
  }

  /** The account of an entry; by `entry_id`. */
  async findByEntry(entryId: string): Promise<AccountRow | null> {
    const [row] = await this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from ldap_account l join account a on a.user_id = l.user_id
        where l.entry_id = $1`,
      [entryId],
    );
    return row ?? null;
  }

  linkOfNew(entryId: string): AccountLink {
    return (tx, userId) => tx.em.insert(LdapAccountEntity, { userId, entryId });
  }

  /** @returns false if the account has another entry, or the entry another account */
  async link(userId: string, entryId: string): Promise<boolean> {
    const rows = await this.database.query(
      `insert into ldap_account (user_id, entry_id) values ($1, $2)
       on conflict do nothing returning 1`,
      [userId, entryId],
    );
    return rows.length > 0;
  }

  followProfile(userId: string, profile: ToldProfile): Promise<void> {
    return followProfile(this.database, 'ldap_account', 'user_id = $3', profile, [userId]);
  }

  /** Sorted by user id. Reads the whole table. */
  async list(): Promise<LinkedAccount[]> {
    return this.database.query<LinkedAccount>(
      `select l.user_id as "userId", l.entry_id as "entryId", a.disabled_at is not null as disabled,
              a.disabled_at is not null and a.disabled_at = l.disabled_at as "disabledByDirectory"
         from ldap_account l join account a on a.user_id = l.user_id
        where a.deletion_requested_at is null order by l.user_id`,
    );
  }

  /** Whether the account is disabled because the directory had no entry. */
  async isDisabledByDirectory(userId: string): Promise<boolean> {
    const rows = await this.database.query(
      `select from ldap_account l join account a on a.user_id = l.user_id
        where l.user_id = $1 and a.disabled_at = l.disabled_at`,
      [userId],
    );
    return rows.length > 0;
  }

  /** Records that the directory disabled the account, until an administrator disables it again. */
  async markDisabled(userId: string): Promise<void> {
    await this.database.query(
      `update ldap_account l set disabled_at = a.disabled_at
         from account a where a.user_id = l.user_id and l.user_id = $1`,
      [userId],
    );
  }
}
