import { afterAll, beforeAll, expect } from '@jest/globals';
import { readdir, rm } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { aServiceProcess } from '../../support/a-service-process.js';
import { ApiClient, basic } from '../../support/api-client.js';
import { itLong } from '../../support/long.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { until, within } from '../../support/until.js';

const CREDENTIALS = { userId: 'admin', password: 'admin of the tests' };
const FILE = '/remote.php/dav/files/admin/tide.txt';

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await temporaryFolder('files');
});
afterAll(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = () =>
  aServiceProcess(database.url, {
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_ADMIN_USER: CREDENTIALS.userId,
    GATEFOLD_ADMIN_PASSWORD: CREDENTIALS.password,
    GATEFOLD_SCHEDULER: 'off',
  });

itLong('A process killed during an upload leaves the old content.', async () => {
  const first = await start();
  await new ApiClient(first.url, CREDENTIALS).call('PUT', FILE, { body: 'low' });
  const upload = http.request(first.url + FILE, {
    method: 'PUT',
    headers: { authorization: basic(CREDENTIALS), 'content-length': '1000' },
  });
  const cut = new Promise((resolve) => upload.once('error', resolve));
  upload.write('half of it');
  await until('the upload to arrive', async () => (await arriving()).length > 0);
  await first.kill();
  await within('the end of the connection', cut);

  const second = await start();
  const files = new ApiClient(second.url, CREDENTIALS);
  const { text } = await files.get(FILE);
  const again = await files.call('PUT', FILE, { body: 'high' });
  await second.stop();

  expect(text).toBe('low');
  expect(again.status).toBe(204);
});

async function arriving(): Promise<string[]> {
  return readdir(path.join(dataDir, 'files/arriving'));
}
