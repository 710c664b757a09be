import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { TalkBotsService } from '../../src/app-api/bots/talk-bots.service.js';
import { twoKnownApps } from '../support/two-known-apps.js';

const BOT = '/api/v1/talk_bot';

const { gateway, app, other } = await twoKnownApps();

interface Registered {
  readonly id: string;
  readonly secret: string;
}

async function register(route: string, { by = app, name = 'Bot', description = 'Talks' } = {}) {
  const answer = await by.as().ocs('POST', BOT, { json: { name, route, description } });
  expect(answer.statuscode).toBe(100);
  return answer.data as Registered;
}

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

const configValues = async (...configKeys: string[]) =>
  (await app.as().ocs('POST', '/api/v1/ex-app/config/get-values', { json: { configKeys } })).data;

describe('talk_bot', () => {
  it('[G106] keeps id and secret when registered again', async () => {
    const first = await register('/twice');
    const second = await register('/twice', { name: 'Renamed' });

    expect(first).toEqual({ id: sha1('a1_/twice'), secret: expect.any(String) });
    expect(first.secret).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(second).toEqual(first);
    expect(await gateway.inside(TalkBotsService).find('a1', 'twice')).toMatchObject({
      name: 'Renamed',
      secret: first.secret,
    });
  });

  it('has one secret after concurrent registrations', async () => {
    const bots = await Promise.all(Array.from({ length: 8 }, () => register('/at-once')));

    expect(new Set(bots.map(({ secret }) => secret)).size).toBe(1);
  });

  it('is one bot with and without a leading slash of its route', async () => {
    const slashed = await register('/slash');
    const plain = await register('slash');

    expect(plain.secret).toBe(slashed.secret);
    expect([slashed.id, plain.id]).toEqual([sha1('a1_/slash'), sha1('a1_slash')]);
  });

  it('can be looked up in the configuration values by SDKs that store nothing', async () => {
    const { id, secret } = await register('/lookup');

    expect(await configValues(id, `talk_bot_route_${id}`)).toEqual([
      { configkey: id, configvalue: secret },
      { configkey: `talk_bot_route_${id}`, configvalue: '/lookup' },
    ]);
    expect(await configValues(sha1('a1_lookup'))).toEqual([
      { configkey: sha1('a1_lookup'), configvalue: secret },
    ]);
  });

  it('has a secret that is not stored in plain text', async () => {
    const { secret } = await register('/sealed');

    const [{ found } = { found: true }] = await gateway.database.query<{ found: boolean }>(
      `select exists (select from ex_app_registration r where r::text like $1)
           or exists (select from ex_app_value v where v::text like $1) as found`,
      [`%${secret}%`],
    );
    expect(found).toBe(false);
  });

  it('differs from a bot of another app at the same route', async () => {
    const mine = await register('/same');
    const theirs = await register('/same', { by: other });

    expect(theirs.id).not.toBe(mine.id);
    expect(theirs.secret).not.toBe(mine.secret);
    const removed = await other.as().ocs('DELETE', BOT, { json: { route: '/same' } });
    expect(removed.statuscode).toBe(100);
    expect((await register('/same')).secret).toBe(mine.secret);
  });

  it('is deleted with all its data, and starts anew when registered again', async () => {
    const { id, secret } = await register('/gone');
    const remove = () => app.as().ocs('DELETE', BOT, { json: { route: '/gone' } });

    expect(await remove()).toMatchObject({ statuscode: 100, data: [] });

    expect(await configValues(id, `talk_bot_route_${id}`, sha1('a1_gone'))).toEqual([]);
    expect(await remove()).toMatchObject({
      statuscode: 404,
      message: 'Talk bots could not be unregistered',
    });
    expect((await register('/gone')).secret).not.toBe(secret);
  });

  it('requires a name and a route', async () => {
    const refused = async (json: object) => (await app.as().ocs('POST', BOT, { json })).message;

    expect(await refused({ route: 'r', description: '' })).toBe('The parameter "name" is missing.');
    expect(await refused({ name: 'n' })).toBe('The parameter "route" is missing.');
    expect(await refused({ name: 'ada\u202e', route: 'r' })).toBe(
      'The parameter "name" must not contain characters that reverse text.',
    );
    expect(await refused({ name: 'n', route: 'r'.repeat(411) })).toBe(
      'The parameter "route" must have at most 410 characters.',
    );
  });
});
