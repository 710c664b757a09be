import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Account } from '../../../common/ports/user-directory.js';
import { Database, type Transaction, type SqlRunner } from '../../../database/database.js';
import { given } from '../../../database/passed-rows.js';
import { prepared } from '../../../database/prepared.js';
import { AccountAlreadyExists, LastAdministrator } from '../../platform.errors.js';
import { ADMIN_GROUP } from './account-rights.js';
import { AccountEntity } from './account.entity.js';
import { ACCOUNT_COLUMNS, MANAGED_ELSEWHERE, type AccountRow } from './accounts.sql.js';
import { RememberedLogins } from './remembered-logins.provider.js';

export type { AccountRow };

/** Links a new account to its directory or service, in the transaction that adds it. */
export type AccountLink = (tx: Transaction, userId: string) => Promise<unknown>;

interface NewAccount {
  readonly userId: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly passwordHash: string;
  readonly isAdmin: boolean;
  readonly link?: AccountLink | undefined;
}

type ChangedColumns = Partial<
  Pick<
    AccountEntity,
    'displayName' | 'email' | 'emailConfirmed' | 'passwordHash' | 'isAdmin' | 'disabledAt'
  >
>;

/** Arbitrary number of the advisory lock for creating the first administrator. */
const FIRST_ADMINISTRATOR_LOCK = 4_706_002;

/** Arbitrary number of the advisory lock for names of new accounts. */
const NAMES_LOCK = 4_706_080;

/** Arbitrary number of the advisory lock for revoking or disabling an administrator. */
const ADMINISTRATORS_LOCK = 4_706_011;

export interface AccountSearch extends AccountFilter {
  /** Default: by user id. */
  readonly order?: AccountOrder;
  /** All by default. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface NameSuggestion {
  /** Part of the user id or display name, case-insensitive; empty matches all. */
  readonly text: string;
  /** The caller, who is excluded. */
  readonly exceptUserId: string;
  readonly limit: number;
}

/** Conditions of a list of accounts. */
export interface AccountFilter {
  /** Part of the user id, display name or email, case-insensitive; empty matches all. */
  readonly text: string;
  /** Id of a group; empty matches all. */
  readonly group?: string;
  readonly state?: 'all' | 'enabled' | 'disabled' | 'administrators';
}

/** Condition on `account a`, with the parameters of `filterValues`. */
const MATCHES = `($1 = '' or exists (
  select from unnest(array[a.user_id, a.display_name, a.email]) as known
   where strpos(lower(known), lower($1)) > 0))
  and ($2 = '' or ($2 = '${ADMIN_GROUP}' and a.is_admin) or exists (
    select from account_group_member m where m.group_id = $2 and m.user_id = a.user_id))
  and case $3 when 'enabled' then a.disabled_at is null when 'disabled' then a.disabled_at is not null
              when 'administrators' then a.is_admin else true end`;

/** By user id, by display name, or latest login first. */
type AccountOrder = 'id' | 'name' | 'login';

const FIND = prepared(
  'find-account',
  `select ${ACCOUNT_COLUMNS} from account a where a.user_id = $1`,
);

const LOGINS = { user_id: 'text', at: 'timestamptz' };

/** Accounts. */
@Injectable()
export class UsersRepository {
  constructor(
    private readonly database: Database,
    private readonly remembered: RememberedLogins,
  ) {}

  /** Runs with nearly every request; one row by primary key. */
  async find(userId: string): Promise<AccountRow | null> {
    const [row] = await this.database.query<AccountRow>(FIND, [userId]);
    return row ?? null;
  }

  /** Whether a directory, an identity provider or a provisioning service manages the account. */
  async isManaged(userId: string): Promise<boolean> {
    const [managed] = await this.database.query(
      `select from account a where a.user_id = $1 and ${MANAGED_ELSEWHERE} is not null`,
      [userId],
    );
    return managed !== undefined;
  }

  /** Sorted by user id, including disabled accounts. */
  async list(): Promise<AccountRow[]> {
    return this.search({ text: '' });
  }

  /** Disabled accounts included. Reads the whole table, for administrators. */
  async search(search: AccountSearch): Promise<AccountRow[]> {
    const { order = 'id', limit = null, offset = 0 } = search;
    return this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from account a where ${MATCHES}
        order by case $4 when 'name' then lower(a.display_name) end,
                 case $4 when 'login' then a.last_login_at end desc nulls last,
                 a.user_id collate "C" limit $5 offset $6`,
      [...filterValues(search), order, limit, offset],
    );
  }

  /** Number of all matches of `search`. Reads the whole table. */
  async count(filter: AccountFilter): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from account a where ${MATCHES}`,
      filterValues(filter),
    );
    return row?.count ?? 0;
  }

  /** The name of an account that differs at most in case. Reads all accounts. */
  async findNameIgnoringCase(
    userId: string,
    runner: SqlRunner = this.database,
  ): Promise<string | undefined> {
    const [row] = await runner.query<{ userId: string }>(
      `select user_id as "userId" from account where lower(user_id) = lower($1) limit 1`,
      [userId],
    );
    return row?.userId;
  }

  /**
   * Accounts that are not disabled: exact matches first, then names that begin with the text, then the
   * rest. Email addresses are not searched, or they could be guessed letter by letter.
   */
  async suggest({ text, exceptUserId, limit }: NameSuggestion): Promise<AccountRow[]> {
    return this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS}
         from account a,
              lateral (select min(case when lower(name) = lower($1) then 0 else
                                    strpos(lower(name), lower($1)) end) as place
                         from unnest(array[a.user_id, a.display_name]) as name
                        where strpos(lower(name), lower($1)) > 0) found
        where a.disabled_at is null and a.user_id <> $2 and found.place is not null
        order by least(found.place, 2), lower(a.display_name), a.user_id collate "C" limit $3`,
      [text, exceptUserId, limit],
    );
  }

  /** Counts disabled administrators, too. */
  async hasAdministrator(): Promise<boolean> {
    return (await this.database.entities((em) => em.count(AccountEntity, { isAdmin: true }))) > 0;
  }

  /** @throws AccountAlreadyExists */
  async add({ link, ...account }: NewAccount): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        await lockUntilCommit(tx, NAMES_LOCK);
        const known = await this.findNameIgnoringCase(account.userId, tx);
        if (known !== undefined) {
          throw new AccountAlreadyExists(known);
        }
        await tx.em.insert(AccountEntity, account);
        await link?.(tx, account.userId);
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
  async addFirstAdministrator(account: Omit<NewAccount, 'isAdmin' | 'link'>): Promise<boolean> {
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

  /** @returns false for an unknown account; so do the other changes */
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

  /**
   * The account can no longer be enabled, and `toBeDeleted` lists it.
   *
   * @returns false also when the account is held
   */
  async requestDeletion(userId: string, at: Date): Promise<boolean> {
    const requesting = this.database.entities((em) =>
      em.nativeUpdate(AccountEntity, { userId, heldAt: null }, { deletionRequestedAt: at }),
    );
    return this.#forgetting(userId, requesting);
  }

  /** User ids of accounts with an incomplete deletion, oldest request first. */
  async toBeDeleted(): Promise<string[]> {
    const rows = await this.database.entities((em) =>
      em.find(
        AccountEntity,
        { deletionRequestedAt: { $ne: null } },
        {
          fields: ['userId'],
          orderBy: { deletionRequestedAt: 'asc' },
        },
      ),
    );
    return rows.map(({ userId }) => userId);
  }

  async makeAdministrator(userId: string): Promise<boolean> {
    return this.#change(userId, { isAdmin: true });
  }

  async disable(userId: string, disabledAt: Date): Promise<boolean> {
    return this.#unlessLastAdministrator(userId, { disabledAt });
  }

  async unmakeAdministrator(userId: string): Promise<boolean> {
    return this.#unlessLastAdministrator(userId, { isAdmin: false });
  }

  /**
   * One statement for all of them; accounts that are locked meanwhile are left out. A later time that
   * another process wrote stays.
   */
  async changeLastLogins(userIds: readonly string[], times: readonly Date[]): Promise<void> {
    await this.database.query(
      `with ${given('login', LOGINS, 1)}, free as (
         select user_id from account where user_id = any ($1) order by user_id
            for no key update skip locked
       )
       update account set last_login_at = greatest(account.last_login_at, login.at)
         from free join login using (user_id) where account.user_id = free.user_id`,
      [userIds, times],
    );
  }

  async delete(userId: string): Promise<boolean> {
    return this.#forgetting(
      userId,
      this.database.entities((em) => em.nativeDelete(AccountEntity, { userId })),
    );
  }

  async #unlessLastAdministrator(userId: string, values: ChangedColumns): Promise<boolean> {
    const changing = this.database.transaction(async (tx) => {
      await assertNotLastAdministrator(tx, userId);
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

/**
 * Serialised until the transaction ends, so that two administrators cannot demote each other at the same time.
 * One who leaves does not count: the deletion is never refused when it is due.
 *
 * @throws LastAdministrator
 */
export async function assertNotLastAdministrator(tx: Transaction, userId: string): Promise<void> {
  await lockUntilCommit(tx, ADMINISTRATORS_LOCK);
  const able = await tx.em.find(
    AccountEntity,
    { isAdmin: true, disabledAt: null, leavesAt: null },
    { fields: ['userId'], limit: 2 },
  );
  if (able.length === 1 && able[0]?.userId === userId) {
    throw new LastAdministrator(userId);
  }
}

/** @param lock any number; transactions that take the same one run one after the other */
async function lockUntilCommit(tx: SqlRunner, lock: number): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [lock]);
}

function filterValues({ text, group = '', state = 'all' }: AccountFilter): string[] {
  return [text, group, state];
}

export function toAccount(row: AccountRow): Account {
  const { userId, displayName, isAdmin, lastLoginSeconds } = row;
  return { userId, displayName, isAdmin, lastLoginSeconds };
}
