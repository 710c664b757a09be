import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';

/** Which accounts are held. A hold and the beginning of a deletion exclude each other by conditions on the row. */
@Injectable()
export class HoldsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Replaces the end of a hold that has begun.
   *
   * @param until null: without an end
   * @returns false if the account is being deleted
   */
  async begin(userId: string, at: Date, until: Date | null): Promise<boolean> {
    const rows = await this.database.query(
      `update account set held_at = coalesce(held_at, $2), held_until = $3
        where user_id = $1 and deletion_requested_at is null returning 1`,
      [userId, at, until],
    );
    return rows.length > 0;
  }

  /** @returns false if the account was not held */
  async end(userId: string): Promise<boolean> {
    const rows = await this.database.query(
      `update account set held_at = null, held_until = null
        where user_id = $1 and held_at is not null returning 1`,
      [userId],
    );
    return rows.length > 0;
  }

  /** Ends those whose day has come. @returns their user ids */
  async endDue(now: Date): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `update account set held_at = null, held_until = null
        where held_at is not null and held_until <= $1 returning user_id as "userId"`,
      [now],
    );
    return rows.map(({ userId }) => userId);
  }

  async list(): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      'select user_id as "userId" from account where held_at is not null order by user_id',
    );
    return rows.map(({ userId }) => userId);
  }
}
