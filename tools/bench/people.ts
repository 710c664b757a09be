import { createHash } from 'node:crypto';
import type { Caller } from './requests.js';
import { basicCredentials, type MeasuredService } from './service.js';

/** A user of the service with an app password, as clients have. */
export interface Person extends Caller {
  readonly userId: string;
  /** The app password. */
  readonly token: string;
}

/** Adds users in one statement each; without the slow hash of a password for every one of them. */
export async function addPeople(
  service: Pick<MeasuredService, 'query' | 'api' | 'agent'>,
  prefix: string,
  count: number,
): Promise<Person[]> {
  await service.query(
    `insert into account (user_id, display_name, password_hash)
     select $1 || n, $1 || n, password_hash
       from account, generate_series(1, $2::int) n where user_id = 'admin'`,
    [prefix, count],
  );
  const userIds = Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`);
  await service.query(
    `insert into app_password (user_id, name, token_hash)
     select user_id, 'benchmark', hash from unnest($1::text[], $2::bytea[]) as t (user_id, hash)`,
    [userIds, userIds.map((userId) => sha256(tokenOf(userId)))],
  );
  return userIds.map((userId) => {
    const token = tokenOf(userId);
    const credentials = basicCredentials(userId, token);
    return { userId, token, credentials, api: service.api, agent: service.agent };
  });
}

/** A token in the service's form. */
function tokenOf(userId: string): string {
  return `gf-${sha256(userId).toString('base64url')}`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
