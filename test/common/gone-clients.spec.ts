import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { NextFunction, Request, Response } from 'express';
import { EventEmitter } from 'node:events';
import http from 'node:http';
import { ValuesRepository } from '../../src/app-api/values/values.repository.js';
import { AnswerTurns } from '../../src/common/http/answer-turns.js';
import { SHARE_KINDS, Shares, type ShareKind } from '../../src/common/http/shares.js';
import { ConversationsRepository } from '../../src/platform/chat/conversations/model/conversations.repository.js';
import { basic } from '../support/api-client.js';
import { giveBelongings, type Belongings } from '../support/belongings.js';
import { handlersOf } from '../support/contracts/documented.js';
import { knowApp, startExternalApp } from '../support/external-app.js';
import { itLong } from '../support/long.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { once, until } from '../support/until.js';

/* Clients that have gone before it is known who they are, as on a busy service. */

/** Routes wait for the end of such a request's connection. */
const GONE = 'x-gone';
const MIB = 1024 * 1024;
const CONFIG = '/ocs/v2.php/apps/app_api/api/v1/ex-app/config';

let app: TestApp;
let ada: TestUser;
let belongings: Belongings;
const taken = new Set<ShareKind>();
const arrivals = new EventEmitter();
beforeAll(async () => {
  app = await startApp({ GATEFOLD_RATE_LIMITS: 'on', GATEFOLD_USER_BODIES_MIB: '10' }, (nest) => {
    nest.use((request: Request, response: Response, next: NextFunction) => {
      if (request.headers[GONE] === undefined) {
        next();
      } else {
        response.once('close', () => next());
        arrivals.emit('request');
      }
    });
    const shares = nest.get(Shares, { strict: false });
    const take = shares.take.bind(shares);
    shares.take = (kind, owner) => {
      taken.add(kind);
      return take(kind, owner);
    };
  });
  ada = await app.signInOnce('ada');
  belongings = await giveBelongings(app, ada, await app.signInOnce('bob'));
});
afterAll(async () => {
  await belongings.close();
  await app.stop();
});

const KINDS = ['uploads', 'archives', 'live updates', 'waiting chat requests'] as const;

const inUse = () => SHARE_KINDS.filter((kind) => app.inside(Shares).count(kind) > 0);

/** Sends a request, and leaves. */
async function leave(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const request = http.request(app.url + path, {
    method,
    agent: false,
    headers: { ...headers, [GONE]: 'yes' },
  });
  request.on('error', () => {});
  request.flushHeaders();
  const refused = new Promise((resolve) => request.once('response', resolve));
  await Promise.race([once(arrivals, 'request'), refused]);
  request.destroy();
}

itLong('No route keeps a share of a client that has gone.', async () => {
  const headers = { authorization: basic(ada.credentials), 'content-length': '1000' };
  const routes = handlersOf(app.app).filter(({ method, mainPath, path }) => {
    const isReading = ['GET', 'PUT', 'PROPFIND', 'SEARCH', 'POST'].includes(method);
    return isReading && mainPath === path;
  });
  const named = new Map(routes.map((route) => [`${route.controller}.${route.name}`, route]));
  for (const { method, path } of named.values()) {
    const query = '?files=tide.txt&dir=/&lookIntoFuture=1&timeout=60';
    await leave(method, belongings.fill(path) + query, headers);
  }
  await until('the routes', () => KINDS.every((kind) => taken.has(kind))).catch(() => {});
  expect([...taken]).toEqual(expect.arrayContaining([...KINDS]));

  await until('all shares to be free', () => inUse().length === 0).catch(() => {});
  expect(inUse()).toEqual([]);
});

it('A list is not made for a client that has gone, and does not count for its sender.', async () => {
  const hoarder = await startExternalApp(app, { appId: 'hoarder' });
  await knowApp(app, hoarder);
  for (const configKey of ['k', 'l']) {
    const json = { configKey, configValue: 'z'.repeat(3.5 * MIB) };
    await hoarder.as('').call('POST', CONFIG, { json });
  }
  const begun = jest.spyOn(app.inside(AnswerTurns), 'begin');
  const read = jest.spyOn(app.inside(ValuesRepository), 'get');

  const asked = `${CONFIG}/get-values?format=json&configKeys[]=k&configKeys[]=l`;
  await leave('POST', asked, hoarder.as('').headers);
  await until('its turn', () => begun.mock.calls.length > 0);

  expect((await hoarder.as('').call('POST', asked)).status).toBe(200);
  expect(read.mock.calls).toHaveLength(1);
  await hoarder.close();
});

it('Of many lists for one sender, a few are made at a time, and those of clients that leave meanwhile never.', async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const repository = app.inside(ConversationsRepository);
  const listFor = repository.listFor.bind(repository);
  const read = jest.spyOn(repository, 'listFor').mockImplementation(async (...which) => {
    await opened;
    return listFor(...which);
  });
  const begun = jest.spyOn(app.inside(AnswerTurns), 'begin');
  const before = begun.mock.calls.length;
  const path = '/ocs/v2.php/apps/spreed/api/v4/room?format=json';
  const ask = () => {
    const request = http.get(app.url + path, {
      agent: false,
      headers: { authorization: basic(ada.credentials) },
    });
    return request.on('error', () => {});
  };

  const asked = Array.from({ length: 20 }, ask);
  await until('all requests', () => begun.mock.calls.length - before === asked.length);
  expect(read.mock.calls).toHaveLength(3);
  for (const request of asked) {
    request.destroy();
  }
  await until('the requests to be over', () => app.inside(Shares).count('requests') === 0);
  open();

  expect((await ada.get(path)).status).toBe(200);
  expect(read.mock.calls).toHaveLength(4);
});
