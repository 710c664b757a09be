import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

export interface NewLoginFlow {
  readonly pollTokenHash: Buffer;
  readonly loginTokenHash: Buffer;
  readonly clientName: string;
  /** The network the program asked from, see `networkOf`. */
  readonly network: string;
  readonly expiresAt: Date;
}

/** What a user has agreed to. */
export interface Grant {
  readonly userId: string;
  readonly appPasswordId: number;
  readonly sealedAppPassword: Buffer;
}

@Injectable()
export class LoginFlowsRepository {
  constructor(private readonly database: Database) {}

  async add(flow: NewLoginFlow): Promise<void> {
    const { pollTokenHash, loginTokenHash, clientName, network, expiresAt } = flow;
    await this.database.query(
      `insert into login_flow (poll_token_hash, login_token_hash, client_name, network, expires_at)
       values ($1, $2, $3, $4, $5)`,
      [pollTokenHash, loginTokenHash, clientName, network, expiresAt],
    );
  }

  /** How many are under way: of this network, and of all together. */
  async count(network: string, now: Date): Promise<{ ofNetwork: number; ofAll: number }> {
    const [row] = await this.database.query<{ ofNetwork: number; ofAll: number }>(
      `select count(*)::int as "ofAll", count(*) filter (where network = $1)::int as "ofNetwork"
         from login_flow where expires_at > $2`,
      [network, now],
    );
    return row ?? { ofNetwork: 0, ofAll: 0 };
  }

  /** @returns name of the program; null when nobody waits for a decision */
  async findUndecided(loginTokenHash: Buffer, now: Date): Promise<string | null> {
    const [row] = await this.database.query<{ client_name: string }>(
      `select client_name from login_flow
       where login_token_hash = $1 and expires_at > $2 and user_id is null`,
      [loginTokenHash, now],
    );
    return row?.client_name ?? null;
  }

  /** @returns false when it was decided or ran out meanwhile */
  async grant(loginTokenHash: Buffer, grant: Grant, now: Date): Promise<boolean> {
    const { userId, appPasswordId, sealedAppPassword } = grant;
    const changed = await this.database.query(
      `update login_flow set user_id = $3, app_password_id = $4, sealed_app_password = $5
       where login_token_hash = $1 and expires_at > $2 and user_id is null returning id`,
      [loginTokenHash, now, userId, appPasswordId, sealedAppPassword],
    );
    return changed.length > 0;
  }

  /** @returns false when it was decided or ran out meanwhile */
  async deny(loginTokenHash: Buffer, now: Date): Promise<boolean> {
    const removed = await this.database.query(
      `delete from login_flow
       where login_token_hash = $1 and expires_at > $2 and user_id is null returning id`,
      [loginTokenHash, now],
    );
    return removed.length > 0;
  }

  /**
   * Gives what was agreed to away, once. An account that was disabled meanwhile gets nothing.
   *
   * @returns null when there is nothing to give, yet or any more
   */
  async take(
    pollTokenHash: Buffer,
    now: Date,
  ): Promise<Pick<Grant, 'userId' | 'sealedAppPassword'> | null> {
    const [row] = await this.database.query<{ user_id: string; sealed_app_password: Buffer }>(
      `delete from login_flow f using account a
       where f.poll_token_hash = $1 and f.expires_at > $2
         and a.user_id = f.user_id and a.disabled_at is null
       returning f.user_id, f.sealed_app_password`,
      [pollTokenHash, now],
    );
    return row === undefined
      ? null
      : { userId: row.user_id, sealedAppPassword: row.sealed_app_password };
  }

  /** Takes along the app passwords that no program came for. */
  async removeExpired(now: Date): Promise<void> {
    await this.database.query(
      `with expired as (delete from login_flow where expires_at <= $1 returning app_password_id)
       delete from app_password where id in (select app_password_id from expired)`,
      [now],
    );
  }
}
