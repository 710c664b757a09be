import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountDeletionHooks } from '../../../src/common/ports/hooks.js';
import { AccountDeletions } from '../../../src/platform/accounts/users/account-deletions.task.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AccountNotFound } from '../../../src/platform/platform.errors.js';
import { startApp, type TestApp } from '../../support/start-app.js';

let app: TestApp;
let deletions: AccountDeletions;
/** How a room deletes the data of a user. */
let erase: (userId: string) => Promise<void> = async () => {};
beforeAll(async () => {
  app = await startApp();
  deletions = app.inside(AccountDeletions);
  deletions.patienceMs = 0;
  app.inside(AccountDeletionHooks).add((userId) => erase(userId));
});
afterAll(() => app.stop());

const remove = (userId: string) =>
  app.asAdmin().call('DELETE', `/ocs/v2.php/cloud/users/${userId}?format=json`, {
    headers: { 'ocs-apirequest': 'true' },
  });

const isKnown = async (userId: string) =>
  (await app.inside(UsersService).listAll()).some((user) => user.userId === userId);

describe('Deleting a large account', () => {
  it('responds after a few seconds, rejects logins at once, and continues in the background', async () => {
    const ada = await app.signInOnce('ada');
    const cleared = Promise.withResolvers<void>();
    erase = () => cleared.promise;

    expect((await remove('ada')).status).toBe(200);

    expect((await ada.get('/ocs/v2.php/cloud/user')).status).toBe(401);
    await expect(app.addUser('ada', 'another password')).rejects.toThrow('There is already a user');
    const enabling = app.inside(UsersService).enable('ada');
    await expect(enabling).rejects.toThrow(AccountNotFound);
    expect(await isKnown('ada')).toBe(true);

    cleared.resolve();
    await deletions.resume();
    expect(await isKnown('ada')).toBe(false);
    await app.addUser('ada', 'another password');
  });

  it('is resumed after a failure or a restart', async () => {
    await app.signInOnce('bob');
    erase = () => Promise.reject(new Error('the database went away'));
    expect((await remove('bob')).status).toBe(200);
    expect(await isKnown('bob')).toBe(true);

    erase = async () => {};
    await deletions.resume();

    expect(await isKnown('bob')).toBe(false);
  });
});
