import { Injectable } from '@nestjs/common';
import { RestoreHooks } from '../../../common/ports/hooks.js';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { MANAGED_ELSEWHERE } from '../../accounts/users/accounts.sql.js';
import { RememberedLogins } from '../../accounts/users/remembered-logins.provider.js';
import { assertNotLastAdministrator } from '../../accounts/users/users.repository.js';

/** Stores a mail in the transaction of the change that it is about. */
export type Telling = (tx: SqlRunner) => Promise<void>;

export interface Leaver {
  readonly userId: string;
  /** Unix seconds; null while an administrator decides. */
  readonly leavesSeconds: number | null;
}

/**
 * Accounts whose owners want them deleted. Each change is one statement with a condition on the row, so of a
 * cancellation and a deletion at the same time, in any processes, exactly one happens.
 */
@Injectable()
export class LeavingRepository {
  constructor(
    private readonly database: Database,
    private readonly remembered: RememberedLogins,
    restoreHooks: RestoreHooks,
  ) {
    restoreHooks.add(() => this.beginAnew());
  }

  /**
   * @param leavesAt null: an administrator decides
   * @returns false if the owner has asked before
   * @throws LastAdministrator
   */
  async ask(userId: string, at: Date, leavesAt: Date | null, tell: Telling): Promise<boolean> {
    return this.#change(userId, async (tx) => {
      await assertNotLastAdministrator(tx, userId);
      return this.#changed(
        tx,
        tell,
        `update account set leave_asked_at = $2, leaves_at = $3
          where user_id = $1 and leave_asked_at is null and deletion_requested_at is null`,
        [userId, at, leavesAt],
      );
    });
  }

  /** @returns false if nobody has asked, or the deletion has begun */
  async keep(userId: string, tell: Telling): Promise<boolean> {
    return this.#change(userId, async (tx) =>
      this.#changed(
        tx,
        tell,
        `update account set leave_asked_at = null, leaves_at = null
          where user_id = $1 and leave_asked_at is not null and deletion_requested_at is null`,
        [userId],
      ),
    );
  }

  /**
   * Makes the deletion due.
   *
   * @returns false if the owner does not ask for it any more
   * @throws LastAdministrator
   */
  async grant(userId: string, at: Date): Promise<boolean> {
    return this.#change(userId, async (tx) => {
      await assertNotLastAdministrator(tx, userId);
      return this.#changed(
        tx,
        async () => {},
        `update account set leaves_at = $2
          where user_id = $1 and leave_asked_at is not null and deletion_requested_at is null`,
        [userId, at],
      );
    });
  }

  /** Disables an account whose time has come; its deletion is then repeated until it is complete. */
  async begin(userId: string, at: Date, tell: Telling): Promise<boolean> {
    return this.#change(userId, async (tx) =>
      this.#changed(
        tx,
        tell,
        `update account set deletion_requested_at = $2, disabled_at = coalesce(disabled_at, $2)
          where user_id = $1 and leaves_at <= $2 and deletion_requested_at is null`,
        [userId, at],
      ),
    );
  }

  /** Those whose deletion has not begun, the earliest first. */
  async list(): Promise<Leaver[]> {
    return this.database.query<Leaver>(
      `select user_id as "userId", floor(extract(epoch from leaves_at))::bigint as "leavesSeconds"
         from account
        where leave_asked_at is not null and deletion_requested_at is null
        order by leaves_at, user_id`,
    );
  }

  /** Whether a directory, an identity provider or a provisioning service manages the account. */
  async isManaged(userId: string): Promise<boolean> {
    const [managed] = await this.database.query(
      `select from account a where a.user_id = $1 and ${MANAGED_ELSEWHERE} is not null`,
      [userId],
    );
    return managed !== undefined;
  }

  /** Gives the full time again: whoever kept the account after the backup must be able to repeat it. */
  async beginAnew(): Promise<void> {
    await this.database.query(
      `update account set leave_asked_at = now(), leaves_at = now() + (leaves_at - leave_asked_at)
        where leaves_at is not null and deletion_requested_at is null`,
    );
  }

  async #changed(
    tx: Transaction,
    tell: Telling,
    statement: string,
    values: readonly unknown[],
  ): Promise<boolean> {
    const rows = await tx.query(`${statement} returning user_id`, values);
    if (rows.length > 0) {
      await tell(tx);
    }
    return rows.length > 0;
  }

  async #change(userId: string, work: (tx: Transaction) => Promise<boolean>): Promise<boolean> {
    try {
      return await this.database.transaction(work);
    } finally {
      this.remembered.forget(userId);
    }
  }
}
