import { describe, expect, it } from '@jest/globals';
import { twoKnownApps } from '../support/two-known-apps.js';

const V1 = '/api/v1/ui/files-actions-menu';
const V2 = '/api/v2/ui/files-actions-menu';

const { app, other } = await twoKnownApps();

const action = (name: string) => ({ name, displayName: 'To GIF', actionHandler: '/to_gif' });
const read = (name: string) => app.as().ocs('GET', V1, { query: { name } });

describe('ui/files-actions-menu', () => {
  it('[G67] has the version of the route of its registration', async () => {
    await app.as().ocs('POST', V1, { json: action('one') });
    await app.as().ocs('POST', V2, { json: action('many') });

    expect((await read('one')).data).toMatchObject({ version: '1.0' });
    expect((await read('many')).data).toMatchObject({ version: '2.0' });
  });

  it('[G68] is one entry for both routes', async () => {
    await app.as().ocs('POST', V1, { json: action('both') });
    const first = (await read('both')).data as { id: number };

    await app.as().ocs('POST', V2, { json: action('both') });

    expect((await read('both')).data).toMatchObject({ id: first.id, version: '2.0' });
    expect((await app.as().ocs('GET', V2, { query: { name: 'both' } })).data).toMatchObject({
      id: first.id,
    });
  });

  it('[G69] applies to every file with all permissions by default', async () => {
    await app.as().ocs('POST', V2, { json: action('defaults') });

    expect((await read('defaults')).data).toEqual({
      id: expect.any(Number),
      appid: 'a1',
      name: 'defaults',
      display_name: 'To GIF',
      mime: 'file',
      permissions: '31',
      order: 0,
      icon: '',
      action_handler: 'to_gif',
      version: '2.0',
    });
  });

  it('accepts the registrations of SDKs, with numbers as text', async () => {
    const json = {
      ...action('full'),
      mime: 'image/png, video',
      permissions: '1',
      order: -5,
      icon: '/img/a.svg',
    };

    expect(await app.as().ocs('POST', V2, { json })).toMatchObject({ statuscode: 100, data: [] });

    expect((await read('full')).data).toMatchObject({
      mime: 'image/png, video',
      permissions: '1',
      order: -5,
      icon: 'img/a.svg',
    });
  });

  it('[G70] is 404 when unregistered twice', async () => {
    const missing = { statuscode: 404, message: 'FileActionMenu not found', data: [] };

    expect(await app.as().ocs('DELETE', V1, { json: { name: 'none' } })).toMatchObject(missing);
    expect(await read('none')).toMatchObject(missing);
  });

  it('is unregistered by the first route, whichever registered it', async () => {
    await app.as().ocs('POST', V2, { json: action('gone') });

    expect((await app.as().ocs('DELETE', V1, { json: { name: 'gone' } })).statuscode).toBe(100);
    expect((await read('gone')).statuscode).toBe(404);
  });

  it('is private to its app', async () => {
    await app.as().ocs('POST', V2, { json: action('mine') });

    const theirs = await other.as().ocs('DELETE', V1, { json: { name: 'mine' } });
    expect(theirs.statuscode).toBe(404);
    expect((await other.as().ocs('GET', V1, { query: { name: 'mine' } })).statuscode).toBe(404);
    expect((await read('mine')).statuscode).toBe(100);
  });

  it.each([
    [
      { ...action('x'), actionHandler: '/' },
      'The parameter "actionHandler" must be a route of the app.',
    ],
    [
      { ...action('x'), actionHandler: 'h'.repeat(65) },
      'The parameter "actionHandler" must have at most 64 characters.',
    ],
    [
      { ...action('x'), name: 'h'.repeat(65) },
      'The parameter "name" must have at most 64 characters.',
    ],
    [{ name: 'x', displayName: 'x' }, 'The parameter "actionHandler" is missing.'],
  ])('rejects %j', async (json, message) => {
    expect(await app.as().ocs('POST', V2, { json })).toMatchObject({ statuscode: 400, message });
  });
});
