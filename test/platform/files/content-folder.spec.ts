import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { Config } from '../../../src/common/config/config.js';
import { basic } from '../../support/api-client.js';
import { DavClient } from '../../support/dav-client.js';
import { responseTo } from '../../support/response-to.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { until } from '../../support/until.js';

const MARKER = '.gatefold-files';

let app: TestApp;
let ada: DavClient;
let folder: string;
let away: string;
let atFirst: string[];
beforeAll(async () => {
  app = await startApp();
  folder = path.join(app.inside(Config).dataDir, 'files');
  atFirst = await readdir(folder);
  ada = new DavClient(await app.signInOnce('ada'));
  await ada.put('/old.txt', 'old');
  away = `${folder}-elsewhere`;
});
afterAll(() => app.stop());

const ready = () => app.asStranger().get('/health/ready');

describe('While the folder with the contents is not mounted', () => {
  beforeAll(async () => {
    await rename(folder, away);
    // What remains of an unmounted folder.
    await mkdir(folder);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await rename(away, folder);
  });

  it('uploads and downloads are rejected with 503, and nothing is written to the mount point', async () => {
    const uploads = `/remote.php/dav/uploads/ada`;
    await ada.user.call('MKCOL', `${uploads}/one`);

    const answers = [
      await ada.put('/new.txt', 'new'),
      await ada.put('/old.txt', 'new'),
      await ada.user.call('PUT', `${uploads}/one/1`, { body: 'x' }),
      await ada.get('/old.txt'),
      await ada.get('/', { accept: 'application/zip' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    expect(answers[0]?.headers['retry-after']).toBe('60');
    expect(await readdir(folder)).toEqual([]);
    expect(await ada.names('/')).toEqual(['old.txt']);
  });

  it('the service is not ready and names the content folder', async () => {
    const answer = await ready();

    expect(answer.status).toBe(503);
    expect(answer.text).toContain('folder of files');
  });

  it('a process that starts does not adopt the mount point', async () => {
    const { databaseUrl = '', dataDir } = app.inside(Config);
    const twin = await startApp({ DATABASE_URL: databaseUrl, GATEFOLD_DATA_DIR: dataDir });
    try {
      expect((await twin.asStranger().get('/health/ready')).status).toBe(503);
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await twin.app.close();
    }
  });
});

it('everything works again after it is mounted, and nothing is lost', async () => {
  expect((await ada.get('/old.txt')).text).toBe('old');
  expect((await ada.put('/new.txt', 'new')).status).toBe(201);
  expect((await ready()).status).toBe(200);
});

it('an upload that began before is not acknowledged', async () => {
  const headers = { authorization: basic(ada.user.credentials) };
  const request = http.request(`${app.url}${ada.root}/slow.txt`, { method: 'PUT', headers });
  request.write('s');
  const arriving = path.join(folder, 'arriving');
  await until('the upload to arrive', async () => (await readdir(arriving)).length > 0);
  await rename(folder, away);
  request.end('low');

  expect((await responseTo(request)).resume().statusCode).toBe(503);
  await rename(away, folder);
  expect((await ada.get('/slow.txt')).status).toBe(404);
});

describe('A folder without a marker', () => {
  const restarted = async (use: (twin: TestApp) => Promise<void>) => {
    const { databaseUrl = '', dataDir } = app.inside(Config);
    const twin = await startApp({ DATABASE_URL: databaseUrl, GATEFOLD_DATA_DIR: dataDir });
    try {
      await use(twin);
    } finally {
      await twin.app.close();
    }
  };

  it('gets a marker if it holds stored contents, as after an upgrade', async () => {
    const before = await readFile(path.join(folder, MARKER), 'utf8');
    await rm(path.join(folder, MARKER));

    await restarted(async (twin) => {
      expect((await twin.asStranger().get('/health/ready')).status).toBe(200);
    });

    expect(await readFile(path.join(folder, MARKER), 'utf8')).toBe(before);
  });

  it('of another installation is rejected', async () => {
    const before = await readFile(path.join(folder, MARKER), 'utf8');
    await writeFile(path.join(folder, MARKER), 'another');

    await restarted(async (twin) => {
      expect((await twin.asStranger().get('/health/ready')).status).toBe(503);
    });

    await writeFile(path.join(folder, MARKER), before);
  });

  it('is created by the first start', () => {
    expect(atFirst).toEqual([MARKER]);
  });
});
