import { beforeAll, describe, expect, it } from '@jest/globals';
import { Browser } from '../../support/browser.js';
import { DavClient } from '../../support/dav-client.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestUser } from '../../support/start-app.js';

const { app: service } = await sharedService();
let ada: TestUser;
let files: DavClient;
let browser: Browser;
let folderId: string;
let fileId: string;
let foreignId: string;

async function idOf(of: DavClient, path: string): Promise<string> {
  const [resource] = await of.properties(path, ['oc:fileid']);
  return String(resource?.found['fileid']);
}

beforeAll(async () => {
  ada = await service.signIn();
  files = new DavClient(ada);
  await files.folder('/Bucht%20%26%20Hafen');
  await files.put('/Bucht%20%26%20Hafen/tide%201.txt', 'high');
  folderId = await idOf(files, '/Bucht%20%26%20Hafen');
  fileId = await idOf(files, '/Bucht%20%26%20Hafen/tide%201.txt');
  const eve = new DavClient(await service.signIn());
  await eve.put('/hers.txt', 'secret');
  foreignId = await idOf(eve, '/hers.txt');
  browser = new Browser(service.url);
  await browser.login(ada.credentials);
});

const leadsTo = async (path: string, visitor = browser) => {
  const { status, headers } = await visitor.get(path, { headers: { accept: 'text/html' } });
  return [status, headers.location];
};

describe('a link to a file', () => {
  it('leads to its folder, in which it is marked, and a link to a folder into that', async () => {
    const place = '/apps/files/Bucht%20%26%20Hafen/';

    for (const link of [`/f/${fileId}`, `/index.php/f/${fileId}`, `/apps/files/files/${fileId}`]) {
      expect(await leadsTo(link)).toEqual([302, `${place}?file=${fileId}`]);
    }
    expect(await leadsTo(`/apps/files/files/${fileId}?dir=/Elsewhere&openfile=true`)).toEqual([
      302,
      `${place}?file=${fileId}`,
    ]);
    expect(await leadsTo(`/f/${folderId}`)).toEqual([302, place]);
  });

  it('is a 404 page for a file of another user, for none, and for what is no id', async () => {
    for (const id of [foreignId, '999999999', '99999999999999999999', '0', '-1', 'x']) {
      const answer = await browser.get(`/f/${id}`, { headers: { accept: 'text/html' } });
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toContain('text/html');
    }
    expect(await leadsTo(`/apps/files/files/${foreignId}`)).toEqual([404, undefined]);
  });

  it('leads a visitor to the login, and on from there', async () => {
    const visitor = new Browser(service.url);
    const link = `/f/${fileId}`;
    const login = `/login?${new URLSearchParams({ redirect_url: link }).toString()}`;

    expect(await leadsTo(link, visitor)).toEqual([302, login]);
    const { headers } = await visitor.login(ada.credentials, link);
    expect(headers.location).toBe(link);
    expect((await leadsTo(link, visitor))[1]).toContain(`?file=${fileId}`);
    expect(await leadsTo('/apps/files/favorites', new Browser(service.url))).toEqual([
      302,
      '/login?redirect_url=%2Fapps%2Ffiles%2Ffavorites',
    ]);
  });
});

describe('a link to a view of the files', () => {
  it.each([
    ['/apps/files/files', '/apps/files/'],
    ['/apps/files/files/', '/apps/files/'],
    ['/index.php/apps/files/files?dir=/Dir', '/apps/files/?dir=/Dir'],
    ['/apps/files/favorites', '/apps/files/?view=favorites'],
    ['/apps/files/trashbin', '/apps/files/?view=trash'],
  ])('%s leads to %s', async (link, place) => {
    expect(await leadsTo(link)).toEqual([302, place]);
  });

  it('is the address of a folder of that name, if the user has one', async () => {
    const bob = await service.signIn();
    const his = new DavClient(bob);
    await his.folder('/files');
    await his.folder('/files/2026');
    await his.folder('/favorites');
    const visitor = new Browser(service.url);
    await visitor.login(bob.credentials);

    for (const path of ['/apps/files/files', '/apps/files/files/2026', '/apps/files/favorites']) {
      expect(await leadsTo(path, visitor)).toEqual([200, undefined]);
    }
    expect(await leadsTo('/apps/files/files/Pictures')).toEqual([200, undefined]);
  });
});
