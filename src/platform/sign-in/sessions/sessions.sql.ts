import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../../accounts/users/accounts.sql.js';
import { LoginSessionEntity } from './login-session.entity.js';

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

/** A session and its account. */
export type SessionRow = SessionAccountRow & {
  readonly sessionId: number;
  /** Unix seconds. */
  readonly lastSeenSeconds: number;
  /** Unix seconds. */
  readonly provenSeconds: number;
};

export type NewSession = Pick<
  LoginSessionEntity,
  'userId' | 'tokenHash' | 'provider' | 'userAgent' | 'address' | 'createdAt' | 'expiresAt'
>;

/**
 * Adds a session, and ends the user's least recently seen ones beyond `most` in the same statement.
 *
 * @returns the id
 */
export async function addSession(
  runner: SqlRunner,
  session: NewSession,
  most: number,
): Promise<number | undefined> {
  const { userId, tokenHash, provider, userAgent, address, createdAt, expiresAt } = session;
  const [row] = await runner.query<Pick<LoginSessionEntity, 'id'>>(
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
  return row?.id;
}

/** Runs with every request of a browser; one row by the unique index of `token_hash`. */
export async function findSession(
  runner: SqlRunner,
  tokenHash: Buffer,
  now: Date,
  idleSince: Date,
): Promise<SessionRow | undefined> {
  const [row] = await runner.query<SessionRow>(
    `select ${ACCOUNT_COLUMNS}, s.provider, s.id as "sessionId",
       floor(extract(epoch from s.last_seen_at))::bigint as "lastSeenSeconds",
       floor(extract(epoch from coalesce(s.proven_at, s.created_at)))::bigint as "provenSeconds"
     from login_session s join account a on a.user_id = s.user_id
     where s.token_hash = $1 and s.expires_at > $2 and s.last_seen_at > $3
       and a.disabled_at is null`,
    [tokenHash, now, idleSince],
  );
  return row;
}

/** One row by the primary key. */
export async function findSessionById(
  runner: SqlRunner,
  id: number,
  userId: string,
  now: Date,
  idleSince: Date,
): Promise<SessionAccountRow | undefined> {
  const [row] = await runner.query<SessionAccountRow>(
    `select ${ACCOUNT_COLUMNS}, s.provider
     from login_session s join account a on a.user_id = s.user_id
     where s.id = $1 and s.user_id = $2 and s.expires_at > $3 and s.last_seen_at > $4
       and a.disabled_at is null`,
    [id, userId, now, idleSince],
  );
  return row;
}

/** Sessions of a user that have not expired, most recently seen first. */
export async function listSessions(
  runner: SqlRunner,
  userId: string,
  now: Date,
  idleSince: Date,
): Promise<ListedSession[]> {
  return runner.query<ListedSession>(
    `select ${LISTED},
       floor(extract(epoch from s.created_at))::bigint as "createdSeconds",
       floor(extract(epoch from s.last_seen_at))::bigint as "lastSeenSeconds"
     from login_session s
     where s.user_id = $1 and s.expires_at > $2 and s.last_seen_at > $3
     order by s.last_seen_at desc, s.id desc`,
    [userId, now, idleSince],
  );
}
