import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { OidcIdentityEntity } from '../../accounts/users/account-links.entities.js';
import {
  lockAccount,
  type AccountRow,
  ACCOUNT_COLUMNS,
} from '../../accounts/users/accounts.sql.js';
import type { ToldProfile } from '../../accounts/users/told-profile.js';
import { followProfile } from '../../accounts/users/told-profile.sql.js';
import type { AccountLink } from '../../accounts/users/users.repository.js';
import type { LogoutToken } from './logout-token.js';
import { type OidcIdentity, OidcSessionEntity } from './oidc.entities.js';

/** Stored with a session, for the logout at the provider. */
interface NewOidcSession {
  readonly sealedIdToken: Buffer;
  readonly issuer: string;
  readonly sid: string | undefined;
}

/** A session that began with a login at a provider. */
interface OidcSession {
  readonly sessionId: number;
  readonly userId: string;
}

/** Identities at OpenID Connect providers, and the sessions that began with them. */
@Injectable()
export class OidcRepository {
  constructor(private readonly database: Database) {}

  /** The account that an identity is linked to; by primary key. */
  async findAccount({ issuer, subject }: OidcIdentity): Promise<AccountRow | null> {
    const [row] = await this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from oidc_identity i join account a on a.user_id = i.user_id
        where i.issuer = $1 and i.subject = $2`,
      [issuer, subject],
    );
    return row ?? null;
  }

  linkOfNew({ issuer, subject }: OidcIdentity): AccountLink {
    return (tx, userId) => tx.em.insert(OidcIdentityEntity, { issuer, subject, userId });
  }

  /**
   * Links the account to this identity unless it is linked to another one of the same issuer.
   *
   * @returns whether it did
   */
  async link({ issuer, subject }: OidcIdentity, userId: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      // Concurrent logins run one after the other.
      await lockAccount(tx, userId);
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

  followProfile({ issuer, subject }: OidcIdentity, profile: ToldProfile): Promise<void> {
    const isLink = 'issuer = $3 and subject = $4';
    return followProfile(this.database, 'oidc_identity', isLink, profile, [issuer, subject]);
  }

  async addSession(
    sessionId: number,
    { sealedIdToken, issuer, sid }: NewOidcSession,
  ): Promise<void> {
    await this.database.entities((em) =>
      em.insert(OidcSessionEntity, { sessionId, sealedIdToken, issuer, sid: sid ?? null }),
    );
  }

  /**
   * Sessions that a logout token ends: by its `sid`, and by its subject. A session without a `sid` ends
   * with every logout of its subject.
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

  /** @returns the sealed ID token; null for a session that did not begin at a provider */
  async findIdToken(sessionId: number): Promise<Buffer | null> {
    const session = await this.database.entities((em) =>
      em.findOne(OidcSessionEntity, { sessionId }, { fields: ['sealedIdToken'] }),
    );
    return session?.sealedIdToken ?? null;
  }
}
