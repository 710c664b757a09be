import type { SqlRunner } from '../../../../database/database.js';
import { selectList, type RowOf } from '../../../../database/select-list.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../../../accounts/users/accounts.sql.js';
import type { NewPasskey, PasskeyUse } from './passkey-answers.js';
import { PasskeyEntity } from './passkey.entity.js';

const KEY = selectList(PasskeyEntity, 'p', ['credentialId', 'publicKey', 'rpId', 'signatureCount']);

/** A passkey and its account. */
export type OwnedPasskey = RowOf<typeof KEY> & {
  readonly passkeyId: number;
  /** Whether a directory or an identity provider decides who may log in to the account. */
  readonly isManagedElsewhere: boolean;
  readonly account: AccountRow;
};

export type NamedPasskey = NewPasskey & Pick<PasskeyEntity, 'name' | 'createdAt'>;

/** @returns false if there is one with this credential id, of any user */
export async function addPasskey(
  runner: SqlRunner,
  userId: string,
  passkey: NamedPasskey,
): Promise<boolean> {
  const { credentialId, publicKey, rpId, transports, name, signatureCount, createdAt } = passkey;
  const rows = await runner.query(
    `insert into passkey
       (user_id, credential_id, public_key, rp_id, transports, name, signature_count, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (credential_id) do nothing returning 1`,
    [userId, credentialId, publicKey, rpId, transports, name, signatureCount, createdAt],
  );
  return rows.length > 0;
}

/** By the unique index of `credential_id`. */
export async function findPasskey(
  runner: SqlRunner,
  credentialId: Buffer,
): Promise<OwnedPasskey | undefined> {
  const [row] = await runner.query<AccountRow & Omit<OwnedPasskey, 'account'>>(
    `select ${ACCOUNT_COLUMNS}, ${KEY}, p.id as "passkeyId",
            exists (select from oidc_identity o where o.user_id = p.user_id)
              or exists (select from ldap_account l where l.user_id = p.user_id)
              as "isManagedElsewhere"
       from passkey p join account a on a.user_id = p.user_id
      where p.credential_id = $1`,
    [credentialId],
  );
  if (row === undefined) {
    return undefined;
  }
  const { passkeyId, publicKey, rpId, signatureCount, isManagedElsewhere, ...account } = row;
  return { passkeyId, credentialId, publicKey, rpId, signatureCount, isManagedElsewhere, account };
}

/**
 * Notes an accepted answer.
 *
 * @returns false if its challenge is not newer than that of the latest one, or its count of
 *   signatures not larger: then it was used before, or the passkey was copied
 */
export async function notePasskeyUse(
  runner: SqlRunner,
  passkeyId: number,
  { signatureCount, challengeMs }: PasskeyUse,
  now: Date,
): Promise<boolean> {
  const rows = await runner.query(
    `update passkey set signature_count = $2, last_challenge_ms = $3, last_used_at = $4
      where id = $1 and last_challenge_ms < $3
        and (signature_count < $2 or (signature_count = 0 and $2 = 0))
      returning 1`,
    [passkeyId, signatureCount, challengeMs, now],
  );
  return rows.length > 0;
}
