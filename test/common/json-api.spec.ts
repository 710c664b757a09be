import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Param, Put, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { AdminGuard } from '../../src/common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../src/common/auth/basic-auth.guard.js';
import { ApiPost } from '../../src/common/contracts/routes.js';
import { DomainError, type DomainErrorKind } from '../../src/common/errors/domain-error.js';
import { CurrentUser, Public } from '../../src/common/http/current-user.decorator.js';
import { Input } from '../../src/common/http/input.decorator.js';
import type { Account } from '../../src/common/ports/user-directory.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { startPlatform, type Platform } from '../platform/start-platform.js';
import type { ApiClient } from '../support/api-client.js';

class TrialError extends DomainError {
  constructor(
    readonly kind: DomainErrorKind,
    override readonly retryAfterSeconds: number | undefined,
  ) {
    super(`It is ${kind}.`);
  }
}

const INPUT = z.object({
  id: z.coerce.number(),
  name: z.string(),
  folderId: z.coerce.number().nullable().default(0),
});

/** A resource like those of the feed reader. */
@Controller('trial')
@UseGuards(BasicAuthGuard)
class TrialController {
  @Get('me')
  me(@CurrentUser() account: Account) {
    return account;
  }

  @Get('open')
  @Public()
  open(@CurrentUser() account: Account | undefined) {
    return { account: account ?? null };
  }

  @Get('admin')
  @UseGuards(AdminGuard)
  admin() {
    return [];
  }

  @ApiPost('things/:id', 'Returns the input.', INPUT)
  post(@Input(INPUT) input: z.output<typeof INPUT>) {
    return input;
  }

  @Put('things/:id')
  put(@Input(INPUT) input: z.output<typeof INPUT>) {
    return input;
  }

  @Get('kind/:kind')
  kind(@Param('kind') kind: DomainErrorKind) {
    throw new TrialError(kind, kind === 'too-many' ? 7 : undefined);
  }

  @Get('bug')
  bug() {
    throw new Error('secret internals');
  }

  @Get('half')
  half(@Res() response: Response) {
    response.write('[1,');
    throw new Error('the database went away');
  }
}

let platform: Platform;
let ada: ApiClient;
let stranger: ApiClient;

beforeAll(async () => {
  platform = await startPlatform({
    settings: { GATEFOLD_RATE_LIMITS: 'off', GATEFOLD_ADMIN_PASSWORD: 'of the administrator' },
    controllers: [TrialController],
  });
  const credentials = { userId: 'ada', password: 'long enough' };
  await platform.get(UsersService).add(credentials);
  ada = platform.as(credentials);
  stranger = platform.as();
});

afterAll(() => platform?.stop());

describe('a route of the JSON API', () => {
  it('gets the caller without secrets', async () => {
    expect((await ada.get('/trial/me')).json).toEqual({
      userId: 'ada',
      displayName: 'ada',
      isAdmin: false,
      lastLoginSeconds: expect.any(Number),
    });
  });

  it('responds 401 without credentials, with the text that elfeed expects', async () => {
    const answer = await stranger.get('/trial/me');

    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({ message: 'CORS requires basic auth' });
    expect(answer.headers['www-authenticate']).toBe('Basic realm="Gatefold", charset="UTF-8"');
    expect(answer.headers.location).toBeUndefined();
  });

  it('may be public, and then ignores credentials', async () => {
    expect((await stranger.get('/trial/open')).json).toEqual({ account: null });
    expect((await ada.get('/trial/open')).json).toEqual({ account: null });
  });

  it('may require an administrator', async () => {
    const admin = platform.as({ userId: 'admin', password: 'of the administrator' });
    const refused = await ada.get('/trial/admin');

    expect(refused.status).toBe(403);
    expect(refused.json).toEqual({ message: 'Logged in user must be an admin' });
    expect((await admin.get('/trial/admin')).status).toBe(200);
    expect((await stranger.get('/trial/admin')).status).toBe(401);
  });
});

describe('input', () => {
  it('comes from query, JSON and form, overridden by placeholders, and POST responds 200', async () => {
    const path = '/trial/things/7';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answers = await Promise.all([
      ada.post(`${path}?name=a&id=8`),
      ada.post(`${path}?name=query`, { name: 'a', id: 8 }),
      ada.call('POST', path, { body: 'name=a&id=8', headers: form }),
      ada.call('PUT', path, { body: 'name=a', headers: form }),
      ada.put(`${path}?name=a`, {}),
    ]);

    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ id: 7, name: 'a', folderId: 0 });
    }
  });

  it('distinguishes null from absent', async () => {
    const answer = await ada.post('/trial/things/7', { name: 'a', folderId: null });

    expect(answer.json).toEqual({ id: 7, name: 'a', folderId: null });
  });

  it('that is invalid has status 422 and a message naming the parameter', async () => {
    const answer = await ada.post('/trial/things/7', { name: 5 });

    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({ message: 'The parameter "name" must be of type string.' });
  });

  it('that is not JSON has status 400', async () => {
    const answer = await ada.call('POST', '/trial/things/7', {
      body: '{"name":',
      headers: { 'content-type': 'application/json' },
    });

    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ message: 'The request body is not valid JSON.' });
  });

  it('that is too large has status 413', async () => {
    const answer = await ada.post('/trial/things/7', { name: 'x'.repeat(11 * 1024 * 1024) });

    expect(answer.status).toBe(413);
    expect(answer.json).toEqual({
      message: expect.stringMatching(/^The request body is larger than \d+ bytes\.$/),
    });
  });

  it('with a placeholder that cannot be decoded has status 400', async () => {
    const answer = await ada.post('/trial/things/%FF');

    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ message: expect.any(String) });
  });
});

describe('an error', () => {
  it.each([
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['not-found', 404],
    ['conflict', 409],
    ['malformed', 400],
    ['invalid', 422],
    ['too-many', 429],
    ['unavailable', 503],
  ])('of the kind %s has status %i', async (kind, status) => {
    const answer = await ada.get(`/trial/kind/${kind}`);

    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ message: `It is ${kind}.` });
    expect(answer.headers['retry-after']).toBe(kind === 'too-many' ? '7' : undefined);
  });

  it('of the service reveals nothing', async () => {
    const answer = await ada.get('/trial/bug');

    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({ message: 'Internal server error' });
  });

  it('during a response closes the connection', async () => {
    await expect(ada.get('/trial/half')).rejects.toThrow(/aborted|socket hang up/);
  });

  it('of an unknown route has status 404', async () => {
    const answer = await stranger.get('/trial/unknown');

    expect(answer.status).toBe(404);
    expect(answer.json).toEqual({ message: expect.any(String) });
  });
});
