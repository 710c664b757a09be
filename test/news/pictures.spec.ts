import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Clock } from '../../src/common/clock.js';
import { Config } from '../../src/common/config/config.js';
import { DiskSpace } from '../../src/common/disk/disk-space.js';
import { FreeSpaceProbe } from '../../src/common/disk/free-space-probe.js';
import { PictureCache } from '../../src/news/sources/pictures/picture-cache.service.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { startApp, type TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_PICTURES: 'proxy',
  GATEFOLD_PICTURES_CACHE_MIB: '1',
  GATEFOLD_LARGEST_PICTURE_MIB: '1',
  GATEFOLD_LIMITS: 'pictures-per-user-and-hour=30',
  GATEFOLD_RATE_LIMITS: 'on',
});
const folder = path.join(app.inside(Config).dataDir, 'pictures');

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(60_000, 7)]);

let user: TestUser;
let number = 0;
beforeEach(async () => {
  user = await app.signIn();
  number += 1;
});

async function signature(address: string, of = user): Promise<string> {
  const { json } = await of.post('/apps/news/pictures', {
    addresses: [address],
  });
  return (json as { signatures: Record<string, string> }).signatures[address] ?? '';
}

async function show(address: string, of = user, signed = '') {
  const known = signed === '' ? await signature(address, of) : signed;
  return of.get(`/apps/news/pictures/${known}`, { query: { address } });
}

function publish(bytes: Buffer | string, contentType = 'image/png'): string {
  number += 1;
  publisher.publish(`/p/${number}`, bytes, { contentType });
  return publisher.url(`/p/${number}`);
}

const asked = (address: string) => publisher.requests(new URL(address).pathname).length;

function keptBytes(): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

describe('pictures through this service', () => {
  it('are sent as pictures only, may be cached, and are asked for once', async () => {
    const address = publish(PNG, 'text/html');

    const first = await show(address);
    const second = await show(address, await app.signIn());

    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toBe('image/png');
    expect(first.headers['x-content-type-options']).toBe('nosniff');
    expect(first.headers['content-security-policy']).toContain('sandbox');
    expect(first.headers['cache-control']).toContain('private');
    expect(second.status).toBe(200);
    expect(asked(address)).toBe(1);
    const again = await user.get(`/apps/news/pictures/${await signature(address)}`, {
      query: { address },
      headers: { 'If-None-Match': first.headers['etag'] ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('are asked for once when many ask at the same time', async () => {
    const address = publish(PNG);
    const signed = await signature(address);

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => show(address, user, signed)),
    );

    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(asked(address)).toBe(1);
  });

  it('are asked for once when one looked into the cache before another had kept them', async () => {
    const address = publish(PNG);
    const signed = await signature(address);
    const another = Promise.withResolvers<null>();
    const look = jest
      .spyOn(app.inside(PictureCache), 'find')
      .mockImplementationOnce(() => another.promise);
    const early = show(address, user, signed);
    await until('a look into the cache', () => look.mock.calls.length > 0);

    expect((await show(address, user, signed)).status).toBe(200);
    another.resolve(null);

    expect((await early).status).toBe(200);
    expect(asked(address)).toBe(1);
    look.mockRestore();
  });

  it('need a session', async () => {
    const address = publish(PNG);
    const signed = await signature(address);
    const stranger = app.asStranger();

    expect(
      (await stranger.get(`/apps/news/pictures/${signed}`, { query: { address } })).status,
    ).toBe(401);
    const unsigned = await stranger.post('/apps/news/pictures', { addresses: [address] });
    expect(unsigned.status).toBe(401);
    expect(asked(address)).toBe(0);
  });

  it('need the signature of the same user and address', async () => {
    const address = publish(PNG);
    const other = publish(PNG);
    const signed = await signature(address);

    expect((await show(address, await app.signIn(), signed)).status).toBe(404);
    expect((await show(other, user, signed)).status).toBe(404);
    expect((await show(address, user, 'x')).status).toBe(404);
    expect((await show(address, user, `${signed.slice(1)}A`)).status).toBe(404);
    expect(asked(address) + asked(other)).toBe(0);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'ftp://a.example/x.png', '/x.png'])(
    'never have the address %s',
    async (address) => expect(await signature(address)).toBe(''),
  );

  it.each([
    ['HTML', '<script>alert(1)</script>', 'image/png'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'image/svg+xml'],
    ['nothing', '', 'image/png'],
    ['too much', Buffer.concat([PNG, Buffer.alloc(1_100_000)]), 'image/png'],
  ])(
    'are refused if a publisher sends %s, which is not tried again at once',
    async (_, bytes, type) => {
      const address = publish(bytes, type);

      const answer = await show(address);
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toContain('application/json');
      publisher.publish(new URL(address).pathname, PNG, { contentType: 'image/png' });
      expect((await show(address)).status).toBe(404);
      expect(asked(address)).toBe(1);

      const clock = app.inside(Clock);
      const now = clock.now();
      clock.now = () => new Date(now.getTime() + 301_000);
      expect((await show(address)).status).toBe(200);
      Reflect.deleteProperty(clock, 'now');
    },
  );

  it('are at most a few at a time for one user, so that a slow publisher stops only who asks', async () => {
    const slow = Array.from({ length: 8 }, (_, n) => {
      const place = `/slow/${number}-${n}`;
      return { place, address: publisher.url(place), release: publisher.hang(place) };
    });
    const waiting = slow.map(({ address }) => show(address));
    // Any six, since the eight come in any order.
    const begun = () => slow.filter(({ place }) => publisher.requests(place).length > 0);
    await until('six requests to the slow publisher', () => begun().length === 6);

    expect((await show(publish(PNG), await app.signIn())).status).toBe(200);
    slow.forEach(({ release }) => release());
    expect((await Promise.all(waiting)).every(({ status }) => status === 404)).toBe(true);
  });

  it('of any number of addresses take no more room than the limit, the least used go first', async () => {
    const used = publish(PNG);
    await show(used);
    const addresses = Array.from({ length: 25 }, () => publish(PNG));
    for (const address of addresses) {
      expect((await show(address)).status).toBe(200);
      await show(used);
    }

    expect(keptBytes()).toBeLessThanOrEqual(1024 * 1024);
    expect(keptBytes()).toBeGreaterThan(500_000);
    expect(asked(used)).toBe(1);
    await show(addresses[0] ?? '');
    expect(asked(addresses[0] ?? '')).toBe(2);
  });

  it('are served without being kept while the disk is nearly full', async () => {
    const probe = app.inside(FreeSpaceProbe);
    const disk = app.inside(DiskSpace);
    const { cachedMs } = disk;
    disk.cachedMs = 0;
    probe.measure = () => Promise.resolve({ freeBytes: 1000, totalBytes: 10 ** 12 });
    const address = publish(PNG);

    expect((await show(address)).status).toBe(200);
    expect((await show(address)).status).toBe(200);
    expect(asked(address)).toBe(2);
    Reflect.deleteProperty(probe, 'measure');
    disk.cachedMs = cachedMs;
  });

  it('are limited per user and hour, counted when they are loaded', async () => {
    const kept = publish(PNG);
    await show(kept);
    for (let n = 1; n < 30; n++) {
      await show(publisher.url(`/missing/${number}/${n}`));
    }

    const refused = await show(publish(PNG));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await show(publish(PNG), await app.signIn())).status).toBe(200);
  });

  it('from addresses of the own network are not loaded', async () => {
    const strict = await startApp({ GATEFOLD_PICTURES: 'proxy', GATEFOLD_FETCH_ALLOW_PRIVATE: '' });
    try {
      const reader = await strict.signIn();
      const address = publish(PNG);

      expect((await show(address, reader)).status).toBe(404);
      expect((await show(`${strict.url}/health/live`, reader)).status).toBe(404);
      expect(asked(address)).toBe(0);
    } finally {
      await strict.stop();
    }
  });

  it('are not loaded after a redirect into another network', async () => {
    publisher.redirect('/inwards', 'http://10.255.255.1/x.png');

    expect((await show(publisher.url('/inwards'))).status).toBe(404);
  });

  it('are not served unless the installation says so', async () => {
    const config = app.inside(Config);
    Object.assign(config, { pictures: 'direct' });
    const asked = user.post('/apps/news/pictures', { addresses: ['https://a.example/x.png'] });
    const answer = await asked.finally(() => Object.assign(config, { pictures: 'proxy' }));

    expect(answer.status).toBe(404);
  });
});
