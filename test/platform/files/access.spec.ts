import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { RegistrationsRepository } from '../../../src/app-api/capabilities/registrations.repository.js';
import { Config } from '../../../src/common/config/config.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { BlobSweep } from '../../../src/platform/files/content/blob-sweep.task.js';
import { storedContents } from '../../support/an-object-store.js';
import { basic } from '../../support/api-client.js';
import { DavClient } from '../../support/dav-client.js';
import { json, knowApp, startExternalApp, toOcs } from '../../support/external-app.js';
import { responseTo } from '../../support/response-to.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { until } from '../../support/until.js';

/** The suffix of the ids of this installation. */

let app: TestApp;
let ada: DavClient;
let bob: DavClient;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_TRASH_DAYS: '0' });
  ada = new DavClient(await app.signInOnce('ada'));
  bob = new DavClient(await app.signInOnce('bob'));
  await ada.put('/tide.txt', 'low');
});
afterAll(() => app.stop());

const VERBS = ['GET', 'HEAD', 'PUT', 'DELETE', 'PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE'];
const MORE_VERBS = ['LOCK', 'UNLOCK', 'REPORT', 'OPTIONS', 'POST', 'PATCH', 'SEARCH'];

describe('The files of a user', () => {
  it.each([...VERBS, ...MORE_VERBS])('require credentials for %s', async (verb) => {
    for (const root of [ada.root, '/remote.php/webdav']) {
      const answer = await app.asStranger().call(verb, `${root}/tide.txt`);

      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic/);
    }
    expect((await ada.get('/tide.txt')).text).toBe('low');
  });

  it.each([...VERBS, 'LOCK', 'UNLOCK', 'REPORT'])(
    'answer %s of another user as if they did not exist',
    async (verb) => {
      const headers = { destination: `${bob.root}/mine.txt` };
      const of = async (userId: string) => {
        const root = `/remote.php/dav/files/${userId}`;
        const { status, text } = await bob.user.call(verb, `${root}/tide.txt`, { headers });
        return [status, text.replaceAll(userId, 'somebody')];
      };

      const theirs = await of('ada');

      expect(theirs[0]).toBe(404);
      expect(theirs).toEqual(await of('nobody'));
      expect(await bob.names('/')).toEqual([]);
      expect((await ada.get('/tide.txt')).text).toBe('low');
    },
  );

  it('cannot be reached from the files of another user', async () => {
    await bob.put('/mine.txt', 'mine');

    for (const verb of ['COPY', 'MOVE']) {
      const headers = { destination: `${ada.root}/theirs.txt` };
      expect((await bob.call(verb, '/mine.txt', { headers })).status).toBe(404);
    }
    expect((await bob.get('/../ada/tide.txt')).status).toBe(404);
    expect(await ada.names('/')).toEqual(['tide.txt']);
    await bob.remove('/mine.txt');
  });

  it('are available to an external app that acts for the user, and to no other', async () => {
    const external = await startExternalApp(app, { appId: 'tools' });
    await knowApp(app, external);

    const asAda = external.as('ada');
    expect((await asAda.call('GET', `${ada.root}/tide.txt`)).text).toBe('low');
    expect((await asAda.call('GET', `${bob.root}/tide.txt`)).status).toBe(404);
    expect((await external.as('').call('GET', `${ada.root}/tide.txt`)).status).toBe(401);
    await external.close();
  });
});

describe('File actions of apps', () => {
  it('are offered for existing files, and receive their metadata', async () => {
    const external = await startExternalApp(app, { appId: 'actor' });
    await knowApp(app, external);
    external.on('/act', json({}));
    await app.inside(RegistrationsRepository).save('actor', 'file_action', 'act', {
      name: 'act',
      displayName: 'Act',
      actionHandler: 'act',
      icon: '',
      mime: 'file',
      // What apps ask for although it has no effect.
      permissions: 31,
      order: 0,
      version: '2.0',
    });
    const id = Number(await ada.property('/tide.txt', 'oc:fileid'));
    const actions = '/ocs/v2.php/apps/app_api/api/v1/files-actions';

    const offered = toOcs(await ada.user.get(`${actions}?format=json&fileIds=${id}`));
    await ada.user.post(`${actions}/actor/act?format=json`, { fileIds: [id] });
    const byBob = toOcs(await bob.user.get(`${actions}?format=json&fileIds=${id}`));

    expect(offered.data).toMatchObject([{ appId: 'actor', name: 'act' }]);
    expect(JSON.parse((await external.received('/act')).body.toString())).toMatchObject({
      files: [{ fileId: id, name: 'tide.txt', directory: '/', permissions: 27, userId: 'ada' }],
    });
    expect(byBob.statuscode).toBe(404);
    await external.close();
  });
});

describe('Content on the disk', () => {
  const root = () => path.join(app.inside(Config).dataDir, 'files');
  const contents = () => storedContents(app.inside(Config));
  const sweep = (idleSeconds: number) => app.inside(BlobSweep).sweep(idleSeconds);

  it('has generated names, no matter what a file is called', async () => {
    for (const name of await contents()) {
      expect(name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    }
  });

  it('is deleted some time after the last file that refers to it', async () => {
    await sweep(0);
    const before = await contents();
    await ada.put('/gone.txt', '1');
    await ada.put('/gone.txt', '2');
    await ada.copy('/gone.txt', '/copy.txt');
    await ada.remove('/gone.txt');

    await sweep(3600);
    expect(await contents()).toHaveLength(before.length + 2);
    await sweep(0);
    expect(await contents()).toHaveLength(before.length + 1);
    expect((await ada.get('/copy.txt')).text).toBe('2');
    await ada.remove('/copy.txt');
    await sweep(0);
    expect(await contents()).toEqual(before);
  });

  it('of an aborted upload is deleted after a day', async () => {
    const arriving = path.join(root(), 'arriving');
    await mkdir(arriving, { recursive: true });
    const [stale, fresh] = [randomUUID(), randomUUID()].map((id) => path.join(arriving, id));
    await writeFile(String(stale), 'x');
    await writeFile(String(fresh), 'x');
    const twoDaysAgo = new Date(Date.now() - 48 * 3600 * 1000);
    await utimes(String(stale), twoDaysAgo, twoDaysAgo);

    await sweep(0);

    expect(await readdir(arriving)).toEqual([path.basename(String(fresh))]);
  });

  it('is deleted with the account, like all data about its files', async () => {
    const eve = new DavClient(await app.signInOnce('eve'));
    await eve.folder('/a');
    await eve.put('/a/b.txt', 'of eve');
    await eve.call('LOCK', '/a/b.txt', {
      body: '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope></lockinfo>',
    });
    const before = (await contents()).length;

    await app.inside(UsersService).delete('eve');
    await sweep(0);

    const [left] = await app.database.query<{ nodes: number; locks: number }>(
      `select (select count(*) from file_node where user_id = 'eve') as nodes,
              (select count(*) from file_lock where user_id = 'eve') as locks`,
    );
    expect(left).toEqual({ nodes: 0, locks: 0 });
    expect(await contents()).toHaveLength(before - 1);
  });
});

it('An upload of a user who is deleted meanwhile is refused, and no fault of the service', async () => {
  const eve = await app.signInOnce('eve2');
  const { userId } = eve.credentials;
  const request = http.request(`${app.url}/remote.php/dav/files/${userId}/late.txt`, {
    method: 'PUT',
    headers: { authorization: basic(eve.credentials), 'content-length': '4' },
  });
  const answer = responseTo(request);
  const arriving = path.join(app.inside(Config).dataDir, 'files', 'arriving');
  const before = (await readdir(arriving)).length;
  request.write('la');
  await until('the upload has begun', async () => (await readdir(arriving)).length > before);
  await app.inside(UsersService).delete(userId);
  request.end('te');

  expect([401, 404, 409]).toContain((await answer).statusCode);
});

describe('GET cloud/capabilities', () => {
  const capabilities = '/ocs/v2.php/cloud/capabilities?format=json';

  it('shows file features to users, and nothing to anonymous requests', async () => {
    const read = (data: unknown) => (data as { capabilities: object }).capabilities;

    expect(read(toOcs(await ada.user.get(capabilities)).data)).toMatchObject({
      files: { bigfilechunking: true, undelete: false, versioning: false },
      dav: { chunking: '1.0' },
    });
    expect(read(toOcs(await app.asStranger().get(capabilities)).data)).not.toHaveProperty('files');
  });
});
