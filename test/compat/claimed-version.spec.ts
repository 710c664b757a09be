import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/settings.js';
import { readMultistatus, NAMESPACES } from '../support/dav-client.js';
import { knowApp, startExternalApp, type ExternalApp, toOcs } from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';

/** What the SDK and other clients do because of the version that the host claims. */

let app: TestApp;
let older: TestApp;
let external: ExternalApp;
let ada: string;

beforeAll(async () => {
  app = await startApp();
  older = await startApp({ GATEFOLD_CLAIMED_VERSION: '29' });
  ada = (await app.signInOnce('ada')).credentials.userId;
  external = await startExternalApp(app, { appId: 'sdk' });
  await knowApp(app, external);
  await dav('MKCOL', '/files/ada/Shore');
  await dav('PUT', '/files/ada/Shore/tide.txt', { body: 'low tide at nine' });
});

afterAll(async () => {
  await external?.close();
  await app?.stop();
  await older?.stop();
});

const dav = (method: string, path: string, options = {}) =>
  external.as(ada).call(method, `/remote.php/dav${path}`, options);

async function versionOf(service: TestApp): Promise<unknown> {
  const answer = await service.asStranger().get('/ocs/v2.php/cloud/capabilities?format=json');
  return (toOcs(answer).data as { version: unknown }).version;
}

async function statusOf(service: TestApp): Promise<unknown> {
  return (await service.asStranger().get('/status.php')).json;
}

describe('the version that the host claims', () => {
  it('is 33, as task processing needs, everywhere', async () => {
    expect(await versionOf(app)).toMatchObject({ major: 33, minor: 0, string: '33.0.16' });
    expect(await statusOf(app)).toMatchObject({ version: '33.0.16.1', versionstring: '33.0.16' });
  });

  it('is 29 for operators of apps with old SDKs', async () => {
    expect(await versionOf(older)).toMatchObject({ major: 29, minor: 0, string: '29.0.16' });
    expect(await statusOf(older)).toMatchObject({ version: '29.0.16.1' });
  });

  it.each(['28', '34', 'newest'])('cannot be %s', (claimed) => {
    expect(() => loadConfig({ GATEFOLD_CLAIMED_VERSION: claimed })).toThrow(
      'GATEFOLD_CLAIMED_VERSION',
    );
  });
});

describe('the SDK, as it works from this version on', () => {
  it('downloads a folder as an archive below dav/files', async () => {
    const answer = await dav('GET', '/files/ada/Shore', { headers: { accept: 'application/zip' } });

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/zip');
    expect(answer.text.startsWith('PK')).toBe(true);
  });

  it('lists, restores, deletes and empties the trash', async () => {
    await dav('DELETE', '/files/ada/Shore/tide.txt');

    const [entry] = await trashed();
    expect(entry).toMatchObject({ 'trashbin-filename': 'tide.txt' });
    expect(await trashed()).toHaveLength(1);
    const place = String(entry?.['path']);
    const destination = `${app.url}/remote.php/dav/trashbin/ada/restore/${place.split('/').at(-1)}`;
    const restored = await dav('MOVE', `/trashbin/ada/${place}`, { headers: { destination } });
    expect(restored.status).toBeLessThan(300);
    expect((await dav('GET', '/files/ada/Shore/tide.txt')).text).toBe('low tide at nine');
    expect(await trashed()).toEqual([]);

    await dav('DELETE', '/files/ada/Shore/tide.txt');
    const [again] = await trashed();
    expect((await dav('DELETE', `/trashbin/ada/${String(again?.['path'])}`)).status).toBe(204);
    expect((await dav('DELETE', '/trashbin/ada/trash')).status).toBe(204);
    expect((await dav('DELETE', `/trashbin/ada/${String(again?.['path'])}`)).status).toBe(404);
  });
});

/** The entries as the SDK reads them: those with an `oc:id`, and their paths without the user. */
async function trashed(): Promise<Record<string, unknown>[]> {
  const wanted = ['oc:id', 'oc:fileid', 'd:getetag', 'oc:size', 'nc:trashbin-filename'];
  const prop = wanted.map((name) => `<${name}/>`).join('');
  const answer = await dav('PROPFIND', '/trashbin/ada/trash', {
    headers: { depth: '1' },
    body: `<?xml version="1.0"?><d:propfind ${NAMESPACES}><d:prop>${prop}</d:prop></d:propfind>`,
  });
  return readMultistatus(answer)
    .filter(({ found }) => 'id' in found)
    .map(({ href, found }) => ({
      path: decodeURIComponent(href).replace('/remote.php/dav/trashbin/ada/', ''),
      ...found,
    }));
}
