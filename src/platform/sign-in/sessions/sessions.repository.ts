import { Injectable } from '@nestjs/common';
import { Offer } from '../../../common/ports/offer.js';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { lockLimit } from '../../../database/lock-limit.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../../accounts/users/accounts.sql.js';

export type SessionProvider = 'password' | 'passkey' | 'oidc' | 'header';

/** A browser in which a user is logged in. */
export class LoginSessionEntity extends entityOf('login_session', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  /** SHA-256 of the cookie's value. */
  tokenHash: p.blob().$type<Buffer>(),
  provider: p.text().$type<SessionProvider>(),
  userAgent: p.text(),
  /** Client address of the latest request that updated `lastSeenAt`. */
  address: p.text(),
  createdAt: p.datetime(),
  lastSeenAt: p.datetime(),
  expiresAt: p.datetime(),
  /** Latest proof of identity; null: not since the login. */
  provenAt: p.datetime().strictNullable(),
}) {}

const LISTED = selectList(LoginSessionEntity, 's', ['id', 'provider', 'userAgent', 'address']);

/** A session as its user sees it. */
export type ListedSession = RowOf<typeof LISTED> & {
  /** Unix seconds. */
  readonly createdSeconds: number;
  /** Unix seconds. */
  readonly lastSeenSeconds: number;
};

/** The account of a session, and how it logged in. */
export type SessionAccountRow = AccountRow & Pick<LoginSessionEntity, 'provider'>;

type SessionRow = SessionAccountRow & {
  readonly sessionId: number;
  /** Unix seconds. */
  readonly lastSeenSeconds: number;
  /** Unix seconds. */
  readonly provenSeconds: number;
  /** Unix seconds. */
  readonly endsSeconds: number;
};

export type NewSession = Pick<
  LoginSessionEntity,
  'userId' | 'tokenHash' | 'provider' | 'userAgent' | 'address' | 'createdAt' | 'expiresAt'
>;

/** Access that a user granted to programs in a browser. */
export class GrantsOffer extends Offer<{
  /** Withdraws what no program has fetched yet. */
  withdrawGrants(userId: string): Promise<void>;
}> {}

/** Sessions of browsers. */
@Injectable()
export class SessionsRepository {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantsOffer,
  ) {}

  /**
   * Adds a session, and ends the user's least recently seen ones beyond `most`, this one included.
   *
   * @returns the id
   */
  async add(session: NewSession, most: number): Promise<number> {
    const { userId, tokenHash, provider, userAgent, address, createdAt, expiresAt } = session;
    const [row] = await this.database.transaction(async (tx) => {
      await lockLimit(tx, 'sessions-per-user', userId);
      return tx.query<Pick<LoginSessionEntity, 'id'>>(
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
    });
    if (row === undefined) {
      throw new Error(`The session of ${userId} was not saved`);
    }
    return row.id;
  }

  /**
   * Runs with every request of a browser; one row by the unique index of `token_hash`.
   *
   * @param idleSince sessions last seen before this time have expired
   */
  async find(tokenHash: Buffer, now: Date, idleSince: Date): Promise<SessionRow | null> {
    const [row] = await this.database.query<SessionRow>(
      `select ${ACCOUNT_COLUMNS}, s.provider, s.id as "sessionId",
         floor(extract(epoch from s.last_seen_at))::bigint as "lastSeenSeconds",
         floor(extract(epoch from s.expires_at))::bigint as "endsSeconds",
         floor(extract(epoch from coalesce(s.proven_at, s.created_at)))::bigint as "provenSeconds"
       from login_session s join account a on a.user_id = s.user_id
       where s.token_hash = $1 and s.expires_at > $2 and s.last_seen_at > $3
         and a.disabled_at is null`,
      [tokenHash, now, idleSince],
    );
    return row ?? null;
  }

  /** Reads one row by the primary key. */
  async findById(
    id: number,
    userId: string,
    now: Date,
    idleSince: Date,
  ): Promise<SessionAccountRow | null> {
    const [row] = await this.database.query<SessionAccountRow>(
      `select ${ACCOUNT_COLUMNS}, s.provider
       from login_session s join account a on a.user_id = s.user_id
       where s.id = $1 and s.user_id = $2 and s.expires_at > $3 and s.last_seen_at > $4
         and a.disabled_at is null`,
      [id, userId, now, idleSince],
    );
    return row ?? null;
  }

  async changeLastSeen(id: number, lastSeenAt: Date, address: string): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(LoginSessionEntity, { id }, { lastSeenAt, address }),
    );
  }

  async changeProven(id: number, provenAt: Date): Promise<void> {
    await this.database.entities((em) => em.nativeUpdate(LoginSessionEntity, { id }, { provenAt }));
  }

  /** Sessions that have not expired, most recently seen first. */
  async list(userId: string, now: Date, idleSince: Date): Promise<ListedSession[]> {
    return this.database.query<ListedSession>(
      `select ${LISTED},
         floor(extract(epoch from s.created_at))::bigint as "createdSeconds",
         floor(extract(epoch from s.last_seen_at))::bigint as "lastSeenSeconds"
       from login_session s
       where s.user_id = $1 and s.expires_at > $2 and s.last_seen_at > $3
       order by s.last_seen_at desc, s.id desc`,
      [userId, now, idleSince],
    );
  }

  /** @returns false when the user has no such session */
  async remove(userId: string, id: number): Promise<boolean> {
    return (
      (await this.database.entities((em) => em.nativeDelete(LoginSessionEntity, { userId, id }))) >
      0
    );
  }

  /**
   * Also withdraws grants that no program has fetched yet.
   *
   * @param exceptId a session that remains
   */
  async removeAllOfUser(userId: string, exceptId?: number): Promise<void> {
    await this.grants.required.withdrawGrants(userId);
    const others = exceptId === undefined ? {} : { id: { $ne: exceptId } };
    await this.database.entities((em) =>
      em.nativeDelete(LoginSessionEntity, { userId, ...others }),
    );
  }

  async removeExpired(now: Date, idleSince: Date): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(LoginSessionEntity, {
        $or: [{ expiresAt: { $lte: now } }, { lastSeenAt: { $lte: idleSince } }],
      }),
    );
  }
}
