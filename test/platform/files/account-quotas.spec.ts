import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { registerUserCommands } from '../../../src/platform/accounts/users/users.commands.js';
import { TrashSweep } from '../../../src/platform/files/trash/trash-sweep.task.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { DavClient } from '../../support/dav-client.js';
import { toOcs } from '../../support/external-app.js';
import { printedBy } from '../../support/printed-by.js';
import { ADMIN, startApp, type TestApp } from '../../support/start-app.js';
import { TrashClient } from '../../support/trash-client.js';

const USERS = '/ocs/v2.php/cloud/users';

let app: TestApp;
let ada: DavClient;
let adaId: string;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_FILES_QUOTA_BYTES: '1000' });
});
afterAll(() => app.stop());
beforeEach(async () => {
  ada = new DavClient(await app.signIn());
  adaId = ada.user.credentials.userId;
  await ada.put('/a.bin', 'a'.repeat(600));
});

function set(value: string, by: ApiClient = app.asAdmin(), of = adaId): Promise<Answer> {
  return by.call('PUT', `${USERS}/${of}?format=json`, { json: { key: 'quota', value } });
}

async function setOk(value: string): Promise<void> {
  expect((await set(value)).status).toBe(200);
}

async function quotaOf(userId = adaId): Promise<Record<string, unknown>> {
  const answer = await app.asAdmin().get(`${USERS}/${userId}?format=json`);
  return (toOcs(answer).data as { quota: Record<string, unknown> }).quota;
}

const put = async (name: string, bytes: number) => (await ada.put(name, 'b'.repeat(bytes))).status;

describe('An administrator', () => {
  it.each([
    ['2 KB', { quota: 2048, assigned: 2048, free: 1448, total: 2048 }],
    ['1.5 KB', { quota: 1536, assigned: 1536, free: 936 }],
    ['5 GB', { quota: 5 * 1024 ** 3 }],
    ['512 MB', { quota: 512 * 1024 ** 2 }],
    ['1.5 TB', { quota: 1.5 * 1024 ** 4 }],
    ['700', { quota: 700, assigned: 700, free: 100, relative: 85.71 }],
    ['0', { quota: 0, assigned: 0, free: 0, total: 0, relative: 0 }],
    ['none', { quota: -3, assigned: 'none', used: 600 }],
    ['default', { quota: 1000, assigned: 'default', free: 400 }],
  ])('gives an account the quota "%s"', async (value, shown) => {
    await setOk('123');

    await setOk(value);

    expect(await quotaOf()).toMatchObject(shown);
  });

  it.each(['', 'much', '-1', '5 XB', '1,500 MB', '99 PB'])(
    'gets an error for the quota "%s", which changes nothing',
    async (value) => {
      await setOk('700');

      const answer = await set(value);

      expect(answer.json).toMatchObject({
        ocs: {
          meta: {
            statuscode: 101,
            message:
              'A storage quota is a size such as "5 GB" or "512 MB", a number of bytes, "none" or "default".',
          },
        },
      });
      expect(await quotaOf()).toMatchObject({ assigned: 700 });
    },
  );

  it('creates an account with a quota, or with none when it cannot be read', async () => {
    const add = (userid: string, quota: string) =>
      app.asAdmin().post(`${USERS}?format=json`, { userid, password: 'words of a user', quota });

    expect((await add('with-quota', '3 KB')).status).toBe(200);
    expect((await add('with-empty', '')).status).toBe(200);
    expect(toOcs(await add('with-nonsense', 'much')).statuscode).toBe(101);

    expect(await quotaOf('with-quota')).toMatchObject({ assigned: 3072 });
    expect(await quotaOf('with-empty')).toMatchObject({ assigned: 'default' });
    expect((await app.asAdmin().get(`${USERS}/with-nonsense`)).status).toBe(404);
  });

  it('sets and shows it by the command line', async () => {
    const gatefold = async (...args: string[]) => {
      const program = new Command().exitOverride();
      registerUserCommands(program, (work) => work((token) => app.inside(token)));
      return (await printedBy(program, ['user:quota', adaId, ...args])).trim();
    };
    const user = `The storage quota of user "${adaId}"`;

    expect(await gatefold()).toBe(`${user} is 1000 B by the settings; 600 B are used.`);
    expect(await gatefold('1.5 kb')).toBe(`${user} is now 1.5 KB.`);
    expect(await gatefold()).toBe(`${user} is 1.5 KB; 600 B are used.`);
    expect(await gatefold('none')).toBe(`${user} is now none.`);
    expect(await gatefold('default')).toBe(`${user} is now as the settings say.`);
    expect(await quotaOf()).toMatchObject({ assigned: 'default' });
  });

  it('cannot give one to an account that does not exist', async () => {
    expect(toOcs(await set('5 GB', app.asAdmin(), 'nobody')).statuscode).toBe(998);
  });

  it('must have proved lately who they are, also for the own account', async () => {
    const browser = new Browser(app.url);
    await browser.login(ADMIN);
    await app.database.query(
      `update login_session set created_at = created_at - interval '16 minutes',
         proven_at = proven_at - interval '16 minutes' where user_id = 'admin'`,
    );
    const { token } = (await browser.get('/csrftoken')).json as { token: string };

    const answer = await browser.call('PUT', `${USERS}/admin?format=json`, {
      json: { key: 'quota', value: 'none' },
      headers: { requesttoken: token },
    });

    expect(answer.status).toBe(403);
    expect(await quotaOf('admin')).toMatchObject({ assigned: 'default' });
  });
});

describe('Nobody else gives a quota:', () => {
  it('neither the user, nor another user, nor an app password without the rights', async () => {
    const bob = await app.signIn();
    const { token } = await app.inside(AppPasswordsService).add('admin', 'phone');
    const phone = new ApiClient(app.url, { userId: 'admin', password: token });

    expect((await set('none', ada.user)).status).toBe(403);
    expect(toOcs(await set('none', bob)).statuscode).toBe(998);
    expect((await set('none', phone)).status).toBe(403);
    expect((await set('none', phone, 'admin')).status).toBe(403);
    expect((await set('none', new ApiClient(app.url))).status).toBe(401);

    expect(await quotaOf()).toMatchObject({ assigned: 'default' });
    expect(await quotaOf('admin')).toMatchObject({ assigned: 'default' });
  });
});

describe('The quota of an account', () => {
  it('limits uploads, and is told over WebDAV', async () => {
    await setOk('2000');

    expect(await put('/b.bin', 1401)).toBe(507);
    expect(await put('/b.bin', 1400)).toBe(201);
    const [top] = await ada.properties('/', ['d:quota-used-bytes', 'd:quota-available-bytes']);
    expect(top?.found).toEqual({ 'quota-used-bytes': '2000', 'quota-available-bytes': '0' });
  });

  it('is named in the refusal', async () => {
    await setOk('700');

    expect((await ada.put('/b.bin', 'b'.repeat(101))).text).toContain(
      'this account may store 700 bytes',
    );
  });

  it('does not change that of others', async () => {
    const bob = new DavClient(await app.signIn());
    await setOk('none');

    expect((await bob.put('/b.bin', 'b'.repeat(1001))).status).toBe(507);
    expect(await bob.property('/', 'd:quota-available-bytes')).toBe('1000');
    expect(await ada.property('/', 'd:quota-available-bytes')).toBe('-3');
    expect(await put('/b.bin', 5000)).toBe(201);
  });

  it('below the present use refuses new bytes, and removes none', async () => {
    await setOk('100');

    expect(await put('/b.bin', 1)).toBe(507);
    expect((await ada.copy('/a.bin', '/b.bin')).status).toBe(507);
    expect(await put('/a.bin', 601)).toBe(507);
    expect(await ada.property('/', 'd:quota-available-bytes')).toBe('0');
    expect(await quotaOf()).toMatchObject({ free: 0, used: 600, total: 100, relative: 600 });

    await app.inside(TrashSweep).sweep();
    expect((await ada.get('/a.bin')).text).toBe('a'.repeat(600));
    expect((await ada.move('/a.bin', '/moved.bin')).status).toBe(201);
    expect(await put('/moved.bin', 600)).toBe(204);
    expect(await put('/moved.bin', 100)).toBe(204);
    expect(await put('/b.bin', 1)).toBe(507);
  });

  it('holds for an upload that had begun before', async () => {
    const uploads = new DavClient(ada.user, `/remote.php/dav/uploads/${adaId}`);
    await uploads.folder('/one');
    expect((await uploads.put('/one/1', 'x'.repeat(300))).status).toBe(201);

    await setOk('800');

    expect((await uploads.put('/one/2', 'x'.repeat(501))).status).toBe(507);
    const destination = { destination: `${app.url}${ada.root}/b.bin` };
    expect((await uploads.call('MOVE', '/one/.file', { headers: destination })).status).toBe(507);
    await setOk('900');
    expect((await uploads.call('MOVE', '/one/.file', { headers: destination })).status).toBe(201);
  });

  it('limits pieces that wait for their upload', async () => {
    await setOk('3000');
    const uploads = new DavClient(ada.user, `/remote.php/dav/uploads/${adaId}`);
    await uploads.folder('/one');

    expect((await uploads.put('/one/1', 'x'.repeat(2900))).status).toBe(201);
    expect((await uploads.put('/one/2', 'x'.repeat(101))).status).toBe(507);
    expect((await uploads.put('/one/2', 'x'.repeat(100))).status).toBe(201);
  });

  it('limits what comes back from the trash', async () => {
    const trash = new TrashClient(ada.user);
    await setOk('2000');
    await ada.put('/big.bin', 'b'.repeat(1200));
    await ada.remove('/big.bin');
    const [id = ''] = await trash.ids();
    await setOk('1799');

    expect((await trash.restore(id)).status).toBe(507);
    await setOk('1800');
    expect((await trash.restore(id)).status).toBe(201);
  });

  it('is what files and trash together may take', async () => {
    const trash = new TrashClient(ada.user);
    await setOk('5000');
    await ada.put('/big.bin', 'b'.repeat(4000));
    await ada.remove('/big.bin');
    await app.inside(TrashSweep).sweep();
    expect(await trash.ids()).toHaveLength(1);

    await setOk('default');
    await app.inside(TrashSweep).sweep();

    expect(await trash.ids()).toEqual([]);
    expect((await ada.get('/a.bin')).status).toBe(200);
  });
});
