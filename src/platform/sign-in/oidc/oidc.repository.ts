import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { lockAccount, type AccountRow } from '../../accounts/users/accounts.sql.js';
import type { LogoutToken } from './logout-token.js';
import type { OidcIdentity } from './oidc-identity.entity.js';
import { OidcSessionEntity } from './oidc-session.entity.js';
import {
  findLinkedAccount,
  linkIdentity,
  listSessionsToEnd,
  updateProfile,
  type OidcSession,
} from './oidc.sql.js';

/** Name and email of a user at the provider. */
interface ProviderProfile {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** Stored with a session, for the logout at the provider. */
interface NewOidcSession {
  readonly sealedIdToken: Buffer;
  readonly issuer: string;
  readonly sid: string | undefined;
}

/** Identities at OpenID Connect providers, and the sessions that began with them. */
@Injectable()
export class OidcRepository {
  constructor(private readonly database: Database) {}

  async findAccount(identity: OidcIdentity): Promise<AccountRow | null> {
    return (await findLinkedAccount(this.database, identity)) ?? null;
  }

  /**
   * Links the account to this identity unless it is linked to another one of the same issuer.
   *
   * @returns whether it did
   */
  async link(identity: OidcIdentity, userId: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      // Concurrent logins run one after the other.
      await lockAccount(tx, userId);
      return linkIdentity(tx, identity, userId);
    });
  }

  /**
   * Updates display name and email if they changed at the provider. Values that were changed here,
   * or that the provider does not send, are kept.
   */
  async updateProfile(identity: OidcIdentity, { name, email }: ProviderProfile): Promise<void> {
    await updateProfile(this.database, identity, name ?? null, email ?? null);
  }

  async addSession(
    sessionId: number,
    { sealedIdToken, issuer, sid }: NewOidcSession,
  ): Promise<void> {
    await this.database.entities((em) =>
      em.insert(OidcSessionEntity, { sessionId, sealedIdToken, issuer, sid: sid ?? null }),
    );
  }

  /** Sessions that a logout token of the provider ends. */
  async sessionsOf({ issuer, subject, sid }: LogoutToken): Promise<OidcSession[]> {
    return listSessionsToEnd(this.database, issuer, subject ?? null, sid ?? null);
  }

  /** @returns the sealed ID token; null for a session that did not begin at a provider */
  async findIdToken(sessionId: number): Promise<Buffer | null> {
    const session = await this.database.entities((em) =>
      em.findOne(
        OidcSessionEntity,
        { sessionId },
        { fields: ['sealedIdToken'], disableIdentityMap: true },
      ),
    );
    return session?.sealedIdToken ?? null;
  }
}
