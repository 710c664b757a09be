import { beforeEach, describe, expect, it } from '@jest/globals';
import { DavClient } from '../../support/dav-client.js';
import { sharedService } from '../../support/shared-service.js';

const { app } = await sharedService();
let ada: DavClient;
beforeEach(async () => {
  ada = new DavClient(await app.signIn());
  await ada.folder('/a');
  await ada.put('/a/tide.txt', 'low');
});

const LOCKINFO =
  '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope>' +
  '<d:locktype><d:write/></d:locktype><d:owner><d:href>ada &amp; editor</d:href></d:owner></d:lockinfo>';

const tryLock = (place: string, headers: Record<string, string> = {}) =>
  ada.call('LOCK', place, { body: LOCKINFO, headers });

/** @returns the token in its brackets */
async function lock(place: string, headers: Record<string, string> = {}): Promise<string> {
  return String((await tryLock(place, headers)).headers['lock-token']);
}

const unlock = (place: string, token: string) =>
  ada.call('UNLOCK', place, { headers: { 'lock-token': token } });

describe('a locked file', () => {
  it('can be written only with the token', async () => {
    const token = await lock('/a/tide.txt');

    const without = await ada.put('/a/tide.txt', 'theirs');
    const within = await ada.put('/a/tide.txt', 'mine', { if: `(${token})` });

    expect(token).toMatch(/^<opaquelocktoken:[0-9a-f-]{36}>$/);
    expect([without.status, within.status]).toEqual([423, 204]);
    expect(without.text).toContain('<d:lock-token-submitted/>');
    expect((await ada.get('/a/tide.txt')).text).toBe('mine');
  });

  it('cannot be deleted, moved, overwritten or changed, nor can a folder above it', async () => {
    const token = await lock('/a/tide.txt');
    await ada.put('/other.txt', 'other');
    const favorite = '<d:set><d:prop><x/></d:prop></d:set>';
    const patch = `<d:propertyupdate xmlns:d="DAV:">${favorite}</d:propertyupdate>`;

    const answers = [
      await ada.remove('/a/tide.txt'),
      await ada.remove('/a'),
      await ada.move('/a/tide.txt', '/b.txt'),
      await ada.move('/a', '/b'),
      await ada.move('/other.txt', '/a/tide.txt'),
      await ada.copy('/other.txt', '/a/tide.txt'),
      await ada.call('PROPPATCH', '/a/tide.txt', { body: patch }),
    ];

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 423));
    expect((await ada.call('DELETE', '/a', { headers: { if: `(${token})` } })).status).toBe(204);
  });

  it('is unlocked by UNLOCK', async () => {
    const token = await lock('/a/tide.txt');

    expect((await unlock('/a/tide.txt', '<opaquelocktoken:none>')).status).toBe(409);
    expect((await unlock('/a/tide.txt', token)).status).toBe(204);
    expect((await unlock('/a/tide.txt', token)).status).toBe(409);
    expect((await ada.put('/a/tide.txt', 'free')).status).toBe(204);
  });

  it('is unlocked after the timeout', async () => {
    await lock('/a/tide.txt', { timeout: 'Second-60' });
    expect((await ada.put('/a/tide.txt', 'early')).status).toBe(423);

    await app.database.query(`update file_lock set expires_at = expires_at - interval '61 s'`);

    expect((await ada.put('/a/tide.txt', 'late')).status).toBe(204);
  });

  it('is locked for longer when its lock is renewed', async () => {
    const token = await lock('/a/tide.txt', { timeout: 'Second-60' });

    const renewed = await ada.call('LOCK', '/a/tide.txt', {
      headers: { if: `(${token})`, timeout: 'Second-600' },
    });

    expect(renewed.status).toBe(200);
    expect(renewed.text).toContain('<d:timeout>Second-600</d:timeout>');
    expect((await ada.call('LOCK', '/a/tide.txt')).status).toBe(409);
  });

  it('has one lock', async () => {
    await lock('/a/tide.txt');

    expect((await tryLock('/a/tide.txt')).status).toBe(423);
    expect((await tryLock('/a')).status).toBe(423);
    expect((await tryLock('/a', { depth: '0' })).status).toBe(200);
  });

  it('shows its lock', async () => {
    const token = await lock('/a/tide.txt', { timeout: 'Infinite, Second-99' });

    const discovery = await ada.property('/a/tide.txt', 'd:lockdiscovery');
    const { activelock } = discovery as { activelock: object[] };

    expect(activelock).toEqual([
      expect.objectContaining({
        locktoken: { href: token.slice(1, -1) },
        lockroot: { href: `${ada.root}/a/tide.txt` },
        owner: { href: 'ada & editor' },
        depth: 'infinity',
      }),
    ]);
  });

  it('loses its lock when it is moved', async () => {
    const token = await lock('/a/tide.txt');

    const moved = await ada.move('/a/tide.txt', '/b.txt', { if: `(${token})` });

    expect(moved.status).toBe(201);
    expect((await ada.put('/b.txt', 'free')).status).toBe(204);
  });
});

describe('a locked folder', () => {
  it('protects everything below it, new files too', async () => {
    const token = await lock('/a');

    expect((await ada.put('/a/tide.txt', 'x')).status).toBe(423);
    expect((await ada.put('/a/new.txt', 'x')).status).toBe(423);
    expect((await ada.folder('/a/new')).status).toBe(423);
    expect(
      (await ada.put('/a/new.txt', 'x', { if: `<${app.url}${ada.root}/a> (${token})` })).status,
    ).toBe(201);
  });

  it('locked with Depth 0 lets its files be written, but none be added or removed', async () => {
    await lock('/a', { depth: '0' });

    expect((await ada.put('/a/tide.txt', 'x')).status).toBe(204);
    expect((await ada.put('/a/new.txt', 'x')).status).toBe(423);
    expect((await ada.remove('/a/tide.txt')).status).toBe(423);
  });
});

describe('LOCK', () => {
  it('creates an empty file at a free path', async () => {
    const answer = await tryLock('/new.txt');

    expect(answer.status).toBe(201);
    expect((await ada.get('/new.txt')).text).toBe('');
    expect((await tryLock('/none/new.txt')).status).toBe(409);
  });

  it('supports exclusive locks only', async () => {
    const body = LOCKINFO.replace('exclusive', 'shared');

    expect((await ada.call('LOCK', '/a/tide.txt', { body })).status).toBe(400);
  });

  it('of one user has no effect on another', async () => {
    await lock('/a/tide.txt');
    const bob = new DavClient(await app.signIn());
    await bob.folder('/a');

    expect((await bob.put('/a/tide.txt', 'of bob')).status).toBe(201);
  });
});

describe('the header If', () => {
  it.each([
    ['a lock that is not there', '(<opaquelocktoken:00000000-0000-4000-8000-000000000000>)', 412],
    ['no lock', '(Not <DAV:no-lock>)', 204],
    ['another version', '(["other"])', 412],
    ['one of two', '(["other"]) (Not ["other"])', 204],
    ['both of two', '(Not ["other"] ["another"])', 412],
    ['nothing', '()', 400],
    ['no sense', 'perhaps', 400],
  ])('requiring %s', async (_what, header, status) => {
    expect((await ada.put('/a/tide.txt', 'x', { if: header })).status).toBe(status);
  });

  it.each(['<', '('])('is fast with thousands of %s', async (sign) => {
    const { status } = await ada.put('/a/tide.txt', 'x', { if: sign.repeat(15_000) });

    expect(status).toBe(400);
  });

  it('may refer to another path', async () => {
    const etag = String(await ada.property('/a/tide.txt', 'd:getetag'));
    const place = `<${ada.root}/a/tide.txt>`;

    const wrong = await ada.put('/b.txt', 'x', { if: `${place} (["other"])` });
    const right = await ada.put('/b.txt', 'x', { if: `${place} ([${etag}])` });

    expect([wrong.status, right.status]).toEqual([412, 201]);
  });
});
