import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { LogoutToken } from './logout-token.js';
import { ACCOUNT_COLUMNS, type AccountRow, type OidcIdentity } from '../users/users.repository.js';

/** What a provider says about somebody besides who they are. */
export interface ToldProfile {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** What is remembered with a session for its end. */
export interface KeptOidcSession {
  readonly sealedIdToken: Buffer;
  readonly issuer: string;
  readonly sid: string | undefined;
}

export interface OidcSession {
  readonly sessionId: number;
  readonly userId: string;
}

/** Whose account somebody at an identity provider may use. */
@Injectable()
export class OidcRepository {
  constructor(private readonly database: Database) {}

  async findAccount({ issuer, subject }: OidcIdentity): Promise<AccountRow | null> {
    const [row] = await this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from oidc_identity i join account a on a.user_id = i.user_id
        where i.issuer = $1 and i.subject = $2`,
      [issuer, subject],
    );
    return row ?? null;
  }

  /**
   * Gives the account to this identity, unless it is another's of the same provider.
   *
   * @returns whether it did
   */
  async link({ issuer, subject }: OidcIdentity, userId: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      // Two who come at the same time take turns.
      await tx.query('select from account where user_id = $1 for update', [userId]);
      const linked = await tx.query(
        `insert into oidc_identity (issuer, subject, user_id)
         select $1, $2, $3
          where not exists (select from oidc_identity where issuer = $1 and user_id = $3)
         on conflict do nothing returning 1`,
        [issuer, subject, userId],
      );
      return linked.length > 0;
    });
  }

  /**
   * Takes over what has changed at the provider since the login before. A name or an address that
   * was changed here stays, and so does everything that the provider does not say.
   */
  async followProfile(
    { issuer, subject }: OidcIdentity,
    { name, email }: ToldProfile,
  ): Promise<void> {
    await this.database.query(
      `with former as (
         select user_id, told_name, told_email from oidc_identity
          where issuer = $1 and subject = $2 for update
       ), told as (
         update oidc_identity
            set told_name = coalesce($3, told_name), told_email = coalesce($4, told_email)
          where issuer = $1 and subject = $2
       )
       update account a
          -- An account that never had another name is called by its user id.
          set display_name = case when a.display_name = coalesce(f.told_name, a.user_id)
                                  then coalesce($3, a.display_name) else a.display_name end,
              email = case when a.email is not distinct from f.told_email
                           then coalesce($4, a.email) else a.email end
         from former f where a.user_id = f.user_id`,
      [issuer, subject, name ?? null, email ?? null],
    );
  }

  async keepSession(
    sessionId: number,
    { sealedIdToken, issuer, sid }: KeptOidcSession,
  ): Promise<void> {
    await this.database.query(
      `insert into oidc_session (session_id, sealed_id_token, issuer, sid)
       values ($1, $2, $3, $4)`,
      [sessionId, sealedIdToken, issuer, sid ?? null],
    );
  }

  /**
   * The sessions that go back to a login at the provider. Where the provider did not say which
   * login a session is of, all of the subject's are meant.
   */
  async sessionsOf({ issuer, subject, sid }: LogoutToken): Promise<OidcSession[]> {
    return this.database.query<OidcSession>(
      `select l.id as "sessionId", l.user_id as "userId"
         from login_session l
         left join oidc_session s on s.session_id = l.id
        where l.provider = 'oidc'
          and ($2::text is null or l.user_id in (
                select user_id from oidc_identity where issuer = $1 and subject = $2))
          and ($3::text is null or (s.issuer = $1 and s.sid = $3)
               or ($2::text is not null and s.sid is null))
          and coalesce(s.issuer, $1) = $1`,
      [issuer, subject ?? null, sid ?? null],
    );
  }

  async findIdToken(sessionId: number): Promise<Buffer | null> {
    const [row] = await this.database.query<{ sealedIdToken: Buffer }>(
      'select sealed_id_token as "sealedIdToken" from oidc_session where session_id = $1',
      [sessionId],
    );
    return row?.sealedIdToken ?? null;
  }
}
