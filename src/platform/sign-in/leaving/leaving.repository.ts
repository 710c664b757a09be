import { Injectable } from '@nestjs/common';
import { RestoreHooks } from '../../../common/ports/hooks.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { RememberedLogins } from '../../accounts/users/remembered-logins.provider.js';
import { assertNotLastAdministrator } from '../../accounts/users/users.repository.js';

/** Stores a mail in the transaction of the change that it is about. */
export type Telling = (tx: SqlRunner) => Promise<void>;

export interface Leaver {
  readonly userId: string;
  /** Unix seconds; null while an administrator decides. */
  readonly leavesSeconds: number | null;
}

/** Of an account, `$1`, whose deletion has not begun. */
interface Change {
  readonly set: string;
  readonly where: string;
  /** `$2` and so on. */
  readonly values?: readonly unknown[];
  readonly needsAnotherAdministrator?: boolean;
  readonly tell?: Telling;
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
   * With a date, the sessions end in the same transaction: a stolen one must not outlive a process that ends
   * between the two, and the last administrator keeps theirs.
   *
   * @param leavesAt null: an administrator decides
   * @returns false if the owner has asked before
   * @throws LastAdministrator
   */
  async ask(userId: string, at: Date, leavesAt: Date | null, tell: Telling): Promise<boolean> {
    return this.#change(userId, {
      set: 'leave_asked_at = $2, leaves_at = $3',
      where: 'leave_asked_at is null',
      values: [at, leavesAt],
      needsAnotherAdministrator: true,
      tell: async (tx) => {
        if (leavesAt !== null) {
          await tx.query('delete from login_session where user_id = $1', [userId]);
        }
        await tell(tx);
      },
    });
  }

  /** @returns false if nobody has asked, or the deletion has begun */
  async keep(userId: string, tell: Telling): Promise<boolean> {
    return this.#change(userId, {
      set: 'leave_asked_at = null, leaves_at = null',
      where: 'leave_asked_at is not null',
      tell,
    });
  }

  /**
   * Makes the deletion due.
   *
   * @returns false if the owner does not ask for it any more
   * @throws LastAdministrator
   */
  async grant(userId: string, at: Date): Promise<boolean> {
    return this.#change(userId, {
      set: 'leaves_at = $2',
      where: 'leave_asked_at is not null',
      values: [at],
      needsAnotherAdministrator: true,
    });
  }

  /** Disables an account whose time has come, unless it is held; its deletion is then repeated until it is complete. */
  async begin(userId: string, at: Date, tell: Telling): Promise<boolean> {
    return this.#change(userId, {
      set: 'deletion_requested_at = $2, disabled_at = coalesce(disabled_at, $2)',
      where: 'leaves_at <= $2 and held_at is null',
      values: [at],
      tell,
    });
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

  /** Gives the full time again: whoever kept the account after the backup must be able to repeat it. */
  async beginAnew(): Promise<void> {
    await this.database.query(
      `update account set leave_asked_at = now(), leaves_at = now() + (leaves_at - leave_asked_at)
        where leaves_at is not null and deletion_requested_at is null`,
    );
  }

  async #change(
    userId: string,
    { set, where, values = [], needsAnotherAdministrator = false, tell }: Change,
  ): Promise<boolean> {
    try {
      return await this.database.transaction(async (tx) => {
        if (needsAnotherAdministrator) {
          await assertNotLastAdministrator(tx, userId);
        }
        const changed = await tx.query(
          `update account set ${set}
            where user_id = $1 and deletion_requested_at is null and ${where} returning user_id`,
          [userId, ...values],
        );
        if (changed.length > 0) {
          await tell?.(tx);
        }
        return changed.length > 0;
      });
    } finally {
      this.remembered.forget(userId);
    }
  }
}
