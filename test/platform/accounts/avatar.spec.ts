import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { basic, type ApiClient } from '../../support/api-client.js';
import { itLong } from '../../support/long.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';

const PNG = png(640, 480);
/** A frame header of 48 x 64 pixels, after the marker of a JFIF file. */
const JPEG = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0000b080040003001011100',
  'hex',
);
/** A canvas of 48 x 64 pixels. */
const WEBP = Buffer.from('524946461600000057454250565038580a000000000000002f00003f0000', 'hex');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

let app: TestApp;
let user: TestUser;
let path: string;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

beforeEach(async () => {
  user = await app.signIn();
  path = `/avatar/${user.credentials.userId}`;
});

function send(client: ApiClient, body: Buffer, contentType = 'image/png', method = 'POST') {
  return client.call(method, '/avatar', { body, headers: { 'content-type': contentType } });
}

describe('a user without a picture', () => {
  const asBrowser = (at: string) =>
    user.call('GET', at, { headers: { accept: 'image/avif,image/svg+xml,image/*,*/*;q=0.8' } });

  it('is shown by initials in the requested size', async () => {
    const answer = await asBrowser(`${path}/64`);

    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'x-nc-iscustomavatar': '0',
      vary: expect.stringContaining('Accept'),
    });
    expect(answer.text).toContain('width="64"');
    expect(answer.text).toContain('>U</text>');
    expect((await asBrowser(`/index.php${path}/512`)).text).toContain('width="512"');
  });

  it('is shown in other colours for dark themes', async () => {
    const light = await asBrowser(`${path}/64`);
    const dark = await asBrowser(`${path}/64/dark`);

    expect(dark.status).toBe(200);
    expect(dark.text).toContain('>U</text>');
    expect(dark.text).not.toBe(light.text);
  });

  it.each(['*/*', 'image/*', 'image/png'])(
    'is a PNG to a program that takes %s and may know no SVG',
    async (accept) => {
      const { credentials } = user;
      const response = await fetch(`${app.url}${path}/64`, {
        headers: { accept, authorization: basic(credentials) },
      });
      const bytes = Buffer.from(await response.arrayBuffer());

      expect(response.headers.get('content-type')).toBe('image/png');
      expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([64, 64]);
    },
  );

  it('is 404 if unknown', async () => {
    expect((await user.get('/avatar/nobody/64')).status).toBe(404);
  });

  it('is drawn no larger than 4,096 pixels, whatever a program asks for', async () => {
    expect((await asBrowser(`${path}/${'9'.repeat(20)}`)).text).toContain('width="4096"');
  });

  it.each(['0', '-1', 'large'])('is not drawn in size "%s"', async (size) => {
    expect((await user.get(`${path}/${size}`)).status).toBe(422);
  });
});

describe('a picture', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['image/webp', WEBP],
  ])('of type %s is shown to others as it was sent', async (type, bytes) => {
    const chosen = await send(user, bytes, 'application/octet-stream');
    const shown = await fetch(`${app.url}${path}/64`, {
      headers: { authorization: authorizationOf(await app.signInOnce('somebody-else')) },
    });

    expect(chosen.status).toBe(200);
    expect(shown.headers.get('content-type')).toBe(type);
    expect(shown.headers.get('x-nc-iscustomavatar')).toBe('1');
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(bytes);
  });

  it('may be uploaded as a form file or by PUT', async () => {
    const form = new FormData();
    form.append('files[]', new Blob([new Uint8Array(JPEG)]), 'me.jpg');
    const posted = await fetch(`${app.url}/avatar`, {
      method: 'POST',
      body: form,
      headers: { authorization: authorizationOf(user) },
    });
    const afterForm = await user.get(`${path}/64`);
    const put = await send(user, PNG, 'image/png', 'PUT');
    const afterPut = await user.get(`${path}/64/dark`);

    expect([posted.status, put.status]).toEqual([200, 200]);
    expect(afterForm.headers['content-type']).toBe('image/jpeg');
    expect(afterPut.headers['content-type']).toBe('image/png');
  });

  it('is a 304 for clients with the current one', async () => {
    await send(user, PNG);
    const { etag = '' } = (await user.get(`${path}/64`)).headers;
    const known = { headers: { 'if-none-match': `"other", W/${etag}` } };
    const again = await user.get(`${path}/64`, known);
    await send(user, JPEG);
    const changed = await user.get(`${path}/64`, known);

    expect([again.status, again.text]).toEqual([304, '']);
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
  });

  it.each([
    ['an SVG', SVG, 'image/svg+xml'],
    ['a page called a picture', Buffer.from('<html>'), 'image/png'],
    ['nothing', Buffer.alloc(0), 'image/png'],
    ['a picture of 65,000 x 65,000 pixels', png(65_000, 65_000), 'image/png'],
    ['something else', Buffer.from('{}'), 'application/json'],
  ])('is not %s', async (_what, bytes, type) => {
    const answer = await send(user, bytes, type);

    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({
      message: 'A picture must be a PNG, JPEG or WebP file of at most 5 MiB and 50 megapixels.',
    });
    expect((await user.get(`${path}/64`)).headers['x-nc-iscustomavatar']).toBe('0');
  });

  itLong('has at most 5 MiB', async () => {
    const largest = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024 - PNG.length)]);

    const tooLarge = await send(user, Buffer.concat([largest, Buffer.alloc(1)]));

    expect(tooLarge.status).toBe(413);
    expect((await send(user, largest)).status).toBe(200);
  });

  it('can be deleted', async () => {
    await send(user, PNG);

    expect((await user.delete('/avatar')).status).toBe(200);
    expect((await user.get(`${path}/64`)).headers['x-nc-iscustomavatar']).toBe('0');
  });

  it('is deleted with its user', async () => {
    await send(user, PNG);

    await app.asAdmin().delete(`/ocs/v2.php/cloud/users/${user.credentials.userId}`);

    const shown = await app.asAdmin().get(`${path}/64`);
    expect(shown.status).toBe(404);
  });
});

describe('a stranger', () => {
  it('can neither see nor change pictures', async () => {
    const stranger = app.asStranger();
    const answers = [
      await stranger.get(`${path}/64`),
      await stranger.get(`${path}/64/dark`),
      await send(stranger, PNG),
      await send(stranger, PNG, 'image/png', 'PUT'),
      await stranger.delete('/avatar'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  });
});

function authorizationOf({ credentials }: TestUser): string {
  return basic(credentials);
}

/** The head of a picture. */
function png(width: number, height: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d494844520000000000000000', 'hex');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, Buffer.from('and the rest of it')]);
}
