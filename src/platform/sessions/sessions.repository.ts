import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../users/users.repository.js';

/** How the user of a session proved who they are. */
export type SessionProvider = 'password' | 'oidc' | 'header';

export interface NewSession {
  readonly userId: string;
  readonly tokenHash: Buffer;
  readonly provider: SessionProvider;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A session and the account it is for. */
export interface SessionRow extends AccountRow {
  readonly sessionId: number;
  /** Unix seconds. */
  readonly lastSeenSeconds: number;
}

/** A session as its user sees it. */
export interface ListedSession {
  readonly id: number;
  readonly provider: SessionProvider;
  readonly userAgent: string;
  readonly address: string;
  readonly createdSeconds: number;
  readonly lastSeenSeconds: number;
}

@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param most of the user's sessions that stay, this one included; those seen longest ago end
   * @returns its id
   */
  async add(session: NewSession, most: number): Promise<number> {
    const { userId, tokenHash, provider, userAgent, address, createdAt, expiresAt } = session;
    const [row] = await this.database.query<{ id: number }>(
      `with ended as (
         delete from login_session where id in (
           select id from login_session where user_id = $1
            order by last_seen_at desc, id desc offset $8
         )
       )
       insert into login_session
         (user_id, token_hash, provider, user_agent, address, created_at, last_seen_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $6, $7) returning id`,
      [userId, tokenHash, provider, userAgent, address, createdAt, expiresAt, most - 1],
    );
    if (row === undefined) {
      throw new Error(`The session of ${userId} was not saved`);
    }
    return row.id;
  }

  /**
   * Runs with every request of a browser; rides on the unique index of the hash.
   *
   * @param idleSince sessions not seen since then have run out
   */
  async find(tokenHash: Buffer, now: Date, idleSince: Date): Promise<SessionRow | null> {
    const [row] = await this.database.query<SessionRow>(
      `select ${ACCOUNT_COLUMNS}, s.id as "sessionId",
         floor(extract(epoch from s.last_seen_at))::bigint as "lastSeenSeconds"
       from login_session s join account a on a.user_id = s.user_id
       where s.token_hash = $1 and s.expires_at > $2 and s.last_seen_at > $3
         and a.disabled_at is null`,
      [tokenHash, now, idleSince],
    );
    return row ?? null;
  }

  async changeLastSeen(id: number, lastSeenAt: Date, address: string): Promise<void> {
    await this.database.query(
      'update login_session set last_seen_at = $2, address = $3 where id = $1',
      [id, lastSeenAt, address],
    );
  }

  /** Those that have not run out, the one seen last first. */
  async list(userId: string, now: Date, idleSince: Date): Promise<ListedSession[]> {
    return this.database.query<ListedSession>(
      `select id, provider, user_agent as "userAgent", address,
         floor(extract(epoch from created_at))::bigint as "createdSeconds",
         floor(extract(epoch from last_seen_at))::bigint as "lastSeenSeconds"
       from login_session
       where user_id = $1 and expires_at > $2 and last_seen_at > $3
       order by last_seen_at desc, id desc`,
      [userId, now, idleSince],
    );
  }

  /** @returns false when the user has no such session */
  async remove(userId: string, id: number): Promise<boolean> {
    const removed = await this.database.query(
      'delete from login_session where user_id = $1 and id = $2 returning id',
      [userId, id],
    );
    return removed.length > 0;
  }

  /** @param exceptId the session that stays, if any does */
  async removeAllOfUser(userId: string, exceptId?: number): Promise<void> {
    await this.database.query(
      'delete from login_session where user_id = $1 and id is distinct from $2::bigint',
      [userId, exceptId ?? null],
    );
  }

  async removeRunOut(now: Date, idleSince: Date): Promise<void> {
    await this.database.query(
      'delete from login_session where expires_at <= $1 or last_seen_at <= $2',
      [now, idleSince],
    );
  }
}
