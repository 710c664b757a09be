import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ACCOUNT_COLUMNS, type AccountRow, type OidcIdentity } from '../users/users.repository.js';

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

  async keepIdToken(sessionId: number, sealedIdToken: Buffer): Promise<void> {
    await this.database.query(
      'insert into oidc_session (session_id, sealed_id_token) values ($1, $2)',
      [sessionId, sealedIdToken],
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
