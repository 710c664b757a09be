import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import type { ApiClient } from '../../support/api-client.js';
import { startApp, type TestApp } from '../../support/start-app.js';

const V1 = '/ocs/v1.php/core/autocomplete/get';
const V2 = '/ocs/v2.php/core/autocomplete/get';
const PASSWORD = 'a password of the tests';

interface Suggestion {
  readonly id: string;
  readonly label: string;
  readonly source: string;
}

let app: TestApp;
let users: UsersService;
let ada: ApiClient;

beforeAll(async () => {
  app = await startApp();
  users = app.inside(UsersService);
  ada = await app.signInOnce('ada');
  for (const [userId, displayName, email] of [
    ['grace', 'Grace Hopper', 'admiral@example.org'],
    ['hopkins', 'Mary Hopkins', undefined],
    ['hop', 'Someone', undefined],
    ['ghopper2', 'Zed', undefined],
    ['percent', '100%_', undefined],
  ] as const) {
    await users.add({ userId, password: PASSWORD, displayName, email });
  }
});
afterAll(() => app?.stop());

async function find(query: string, path = V2): Promise<Suggestion[]> {
  const { json } = await ada.call('GET', `${path}?format=json&${query}`);
  return (json as { ocs: { data: Suggestion[] } }).ocs.data;
}

const ids = async (query: string) => (await find(query)).map(({ id }) => id);

describe('users', () => {
  it('are found by part of user id or display name, case-insensitively, at both roots', async () => {
    for (const path of [V1, V2]) {
      expect(await find('search=GRACE%20h', path)).toEqual([
        {
          id: 'grace',
          label: 'Grace Hopper',
          icon: 'icon-user',
          source: 'users',
          status: '',
          subline: '',
          shareWithDisplayNameUnique: 'grace',
        },
      ]);
    }
  });

  it('are sorted by relevance', async () => {
    expect(await ids('search=hop')).toEqual(['hop', 'hopkins', 'grace', 'ghopper2']);
  });

  it('exclude the caller, and are all others without a search text', async () => {
    expect(await ids('search=ada')).toEqual([]);
    expect(await ids('')).toEqual(expect.arrayContaining(['admin', 'grace', 'hop']));
    expect(await ids('')).not.toContain('ada');
  });

  it('are not found by email address', async () => {
    expect(await ids('search=admiral')).toEqual([]);
    expect(await ids('search=example')).toEqual([]);
  });

  it('are not found while disabled', async () => {
    await users.add({ userId: 'gone', password: PASSWORD });
    expect(await ids('search=gone')).toEqual(['gone']);

    await users.disable('gone');
    expect(await ids('search=gone')).toEqual([]);
  });

  it('are searched without wildcards', async () => {
    expect(await ids('search=%25')).toEqual(['percent']);
    expect(await ids('search=%25_')).toEqual(['percent']);
    expect(await ids('search=_')).toEqual(['percent']);
    expect(await ids('search=%00')).toEqual(expect.arrayContaining(['grace']));
  });
});

describe('a list of suggestions', () => {
  it('has ten entries by default, and at most 25', async () => {
    for (let number = 0; number < 30; number += 1) {
      await users.add({ userId: `crowd${number}`, password: PASSWORD });
    }

    expect(await ids('search=crowd')).toHaveLength(10);
    expect(await ids('search=crowd&limit=3')).toHaveLength(3);
    expect(await ids('search=crowd&limit=500')).toHaveLength(25);
  });

  it('is empty for share types other than users', async () => {
    expect(await ids('search=grace&shareTypes[]=1')).toEqual([]);
    expect(await ids('search=grace&shareTypes[]=1&shareTypes[]=0')).toEqual(['grace']);
  });

  it('rejects an invalid limit', async () => {
    expect((await ada.call('GET', `${V2}?format=json&limit=many`)).status).toBe(400);
    expect((await ada.call('GET', `${V2}?format=json&limit=0`)).status).toBe(400);
  });

  it('requires a login', async () => {
    expect((await app.asStranger().call('GET', `${V2}?search=grace`)).status).toBe(401);
  });
});
