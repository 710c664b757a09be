import { UserAccounts } from '../ports/user-accounts.js';
import type { Get, WithApp } from './with-app.js';

/**
 * `withApp` for a command about one user. Checks the user id, since news services would create rows
 * for a misspelled one.
 *
 * @throws when there is no such active account
 */
export async function withUser<Result>(
  withApp: WithApp,
  userId: string,
  work: (get: Get) => Promise<Result>,
): Promise<Result> {
  return withApp(async (get) => {
    await get(UserAccounts).requireActive(userId);
    return work(get);
  });
}
