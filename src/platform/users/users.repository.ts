import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { AccountAlreadyExists, LastAdministrator } from '../platform.errors.js';
import { AccountEntity } from './account.entity.js';

/** An account as a login needs it. */
export interface AccountRow {
  readonly userId: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly isAdmin: boolean;
  readonly disabled: boolean;
  readonly passwordHash: string;
  /** Unix seconds; 0 before the first login. */
  readonly lastLoginSeconds: number;
}

/** Somebody as an identity provider knows them, by an id that it never gives to anybody else. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
}

export interface NewAccount {
  readonly userId: string;
  readonly displayName: string;
  readonly email?: string | null | undefined;
  readonly passwordHash: string;
  readonly isAdmin: boolean;
  readonly identity?: OidcIdentity | undefined;
}

type ChangedColumns = Partial<
  Pick<
    AccountEntity,
    | 'displayName'
    | 'email'
    | 'passwordHash'
    | 'isAdmin'
    | 'disabledAt'
    | 'lastLoginAt'
    | 'deletionRequestedAt'
  >
>;

/** Any fixed number: every process that may create the first administrator asks for the same lock. */
const FIRST_ADMINISTRATOR_LOCK = 4_706_002;

/** The same for whoever may take the last administrator away. */
const ADMINISTRATORS_LOCK = 4_706_011;

/** Which accounts are looked for. */
export interface AccountSearch {
  /** Part of the user id, display name or mail address, in any case; empty finds all. */
  readonly text: string;
  readonly administratorsOnly?: boolean;
  /** All when not given. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Who may be meant by a part of a name. */
export interface NameSuggestion {
  /** Part of the user id or display name, in any case; empty finds all. */
  readonly text: string;
  /** Whoever asks does not mean themselves. */
  readonly exceptUserId: string;
  readonly limit: number;
}

/** The columns of `account a` that make an `AccountRow`. */
export const ACCOUNT_COLUMNS = `
  a.user_id as "userId", a.display_name as "displayName", a.email, a.is_admin as "isAdmin",
  a.disabled_at is not null as disabled, a.password_hash as "passwordHash",
  coalesce(floor(extract(epoch from a.last_login_at)), 0)::bigint as "lastLoginSeconds"`;

/** Part of the user id, display name or mail address, in any case; empty finds all. */
const MATCHES = `($1 = '' or exists (
  select from unnest(array[a.user_id, a.display_name, a.email]) as known
   where strpos(lower(known), lower($1)) > 0))`;

@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** Runs with every request; one row by primary key. */
  async find(userId: string): Promise<AccountRow | null> {
    const [row] = await this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from account a where a.user_id = $1`,
      [userId],
    );
    return row ?? null;
  }

  /** Disabled ones too, by user id. */
  async list(): Promise<AccountRow[]> {
    return this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from account a order by a.user_id collate "C"`,
    );
  }

  /** By user id; disabled ones too. Reads the whole table, for administrators. */
  async search(search: AccountSearch): Promise<AccountRow[]> {
    const { text, administratorsOnly = false, limit = null, offset = 0 } = search;
    return this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from account a
        where ${MATCHES} and (not $2 or a.is_admin)
        order by a.user_id collate "C" limit $3 offset $4`,
      [text, administratorsOnly, limit, offset],
    );
  }

  /** How many `search` finds in all. */
  async count(text: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from account a where ${MATCHES}`,
      [text],
    );
    return row?.count ?? 0;
  }

  /**
   * Accounts that are not disabled: who is called exactly so, then whose names begin like this, then
   * the others. Mail addresses are left alone, or they could be guessed letter by letter.
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

  /** Disabled ones count, too. */
  async hasAdministrator(): Promise<boolean> {
    return (await this.database.entities((em) => em.count(AccountEntity, { isAdmin: true }))) > 0;
  }

  /** @throws AccountAlreadyExists */
  async add({ identity, ...account }: NewAccount): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        await tx.em.insert(AccountEntity, account);
        if (identity !== undefined) {
          await tx.query(
            'insert into oidc_identity (issuer, subject, user_id) values ($1, $2, $3)',
            [identity.issuer, identity.subject, account.userId],
          );
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
   * Adds the account unless there is an administrator, or an account of that name. Processes that
   * start together take turns.
   *
   * @returns whether it was added
   */
  async addFirstAdministrator(account: Omit<NewAccount, 'isAdmin'>): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [FIRST_ADMINISTRATOR_LOCK]);
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

  async changeEmail(userId: string, email: string | null): Promise<boolean> {
    return this.#change(userId, { email });
  }

  /** @returns false also when the account is being deleted */
  async enable(userId: string): Promise<boolean> {
    const enabled = await this.database.entities((em) =>
      em.nativeUpdate(AccountEntity, { userId, deletionRequestedAt: null }, { disabledAt: null }),
    );
    return enabled > 0;
  }

  /** From now on the account cannot be enabled any more, and is listed by `toBeDeleted`. */
  async requestDeletion(userId: string, at: Date): Promise<boolean> {
    return this.#change(userId, { deletionRequestedAt: at });
  }

  /** User ids of the accounts whose deletion was requested and is not complete. */
  async toBeDeleted(): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `select user_id as "userId" from account
        where deletion_requested_at is not null order by deletion_requested_at`,
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
    return this.#change(userId, { lastLoginAt });
  }

  async delete(userId: string): Promise<boolean> {
    return (await this.database.entities((em) => em.nativeDelete(AccountEntity, { userId }))) > 0;
  }

  /** Two administrators who take each other's rights at once take turns: the second one fails. */
  async #unlessLastAdministrator(userId: string, values: ChangedColumns): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [ADMINISTRATORS_LOCK]);
      const able = await tx.query<{ userId: string }>(
        'select user_id as "userId" from account where is_admin and disabled_at is null limit 2',
      );
      if (able.length === 1 && able[0]?.userId === userId) {
        throw new LastAdministrator(userId);
      }
      return (await tx.em.nativeUpdate(AccountEntity, { userId }, values)) > 0;
    });
  }

  async #change(userId: string, values: ChangedColumns): Promise<boolean> {
    return (
      (await this.database.entities((em) => em.nativeUpdate(AccountEntity, { userId }, values))) > 0
    );
  }
}
