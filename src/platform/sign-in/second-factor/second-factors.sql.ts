import type { SqlRunner } from '../../../database/database.js';

/**
 * Stores the secret of an app that is not confirmed yet; replaces one that never was.
 *
 * @returns false if the user has a confirmed one
 */
export async function saveUnconfirmedTotp(
  runner: SqlRunner,
  userId: string,
  sealedSecret: Buffer,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into totp_factor as f (user_id, sealed_secret) values ($1, $2)
     on conflict (user_id) do update set sealed_secret = $2 where f.confirmed_at is null
     returning 1`,
    [userId, sealedSecret],
  );
  return rows.length > 0;
}

/** @returns false for a step that is not newer than the latest accepted one */
export async function useTotpStep(
  runner: SqlRunner,
  userId: string,
  step: number,
): Promise<boolean> {
  const rows = await runner.query(
    `update totp_factor set last_step = $2
      where user_id = $1 and last_step < $2 and confirmed_at is not null returning 1`,
    [userId, step],
  );
  return rows.length > 0;
}

/** Without a factor, recovery codes are for nothing: they are removed. */
export async function noteFactors(tx: SqlRunner, userId: string): Promise<void> {
  await tx.query(
    `update account a set has_second_factor =
       exists (select from totp_factor f where f.user_id = $1 and f.confirmed_at is not null)
         or exists (select from passkey p where p.user_id = $1)
      where a.user_id = $1`,
    [userId],
  );
  await tx.query(
    `delete from recovery_code c using account a
      where c.user_id = $1 and a.user_id = $1 and not a.has_second_factor`,
    [userId],
  );
}
