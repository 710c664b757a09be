import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import { basic } from '../support/api-client.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { provideTasks } from '../support/task-provider.js';

const V1 = '/api/v1';

let app: TestApp;
let ada: TestUser;
const externals: ExternalApp[] = [];

beforeAll(async () => {
  app = await startApp();
  ada = await app.signInOnce('ada');
});

afterAll(async () => {
  await Promise.all(externals.map((external) => external.close()));
  await app.stop();
});

/** An enabled app that opens all paths to everybody, or none. */
async function anApp(appId: string, opens: 'everything' | 'nothing'): Promise<ExternalApp> {
  const external = await startExternalApp(app, { appId });
  externals.push(external);
  await knowApp(app, external);
  if (opens === 'everything') {
    await app.inside(ExAppRoutesRepository).replace(appId, [
      {
        url: '.*',
        verb: 'GET,POST,PUT,DELETE',
        accessLevel: 0,
        headersToExclude: [],
        bruteforceStatuses: [],
      },
    ]);
  }
  return external;
}

const at = ({ appId }: ExternalApp, path: string) =>
  `/index.php/apps/app_api/proxy/${appId}${path}`;

/** As bytes: URL parsers would normalise the path. */
async function statusOf(method: string, path: string): Promise<number> {
  const { port } = new URL(app.url);
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(ada.credentials)}\r\n` +
      'content-length: 0\r\nconnection: close\r\n\r\n',
  );
  return Number((await text(socket)).split(' ')[1]);
}

describe('an app that declares no routes', () => {
  it('is closed to users, administrators and guests alike: 404', async () => {
    const external = await anApp('undeclared', 'nothing');
    external.on('/any', json({}));

    for (const client of [ada, app.asAdmin(), app.asStranger()]) {
      expect((await client.get(at(external, '/any'))).status).toBe(404);
      expect((await client.put(at(external, '/any'), {})).status).toBe(404);
    }
    expect(external.requests('/any')).toEqual([]);
  });

  it('prevents users from unregistering its chat bot', async () => {
    const bot = await anApp('talk_bot', 'nothing');

    expect((await ada.put(at(bot, '/enabled?enabled=0'), {})).status).toBe(404);

    expect(bot.requests('/enabled')).toEqual([]);
  });

  it('prevents users from posting as its chat bot', async () => {
    const bot = await anApp('talk_bot_ai', 'nothing');
    bot.on('/message', json({}));

    const { status } = await ada.post(at(bot, '/message?reply_to=1&token=T'), { message: 'x' });

    expect(status).toBe(404);
    expect(bot.requests('/message')).toEqual([]);
  });
});

describe('an app that opens all paths', () => {
  let external: ExternalApp;

  beforeAll(async () => {
    external = await anApp('wide-open', 'everything');
    const register = async (path: string, body: object) => {
      const { statuscode } = await external.as().ocs('POST', path, { json: body });
      expect(statuscode).toBe(100);
    };
    await register(`${V1}/ui/files-actions-menu`, {
      name: 'describe',
      displayName: 'Describe',
      actionHandler: '/files/describe',
    });
    await register('/api/v2/ui/files-actions-menu', {
      name: 'count',
      displayName: 'Count',
      actionHandler: 'files/count?quick=1',
    });
    await register(`${V1}/occ_command`, {
      name: 'wide-open:greet',
      description: 'Greets',
      execute_handler: '/commands/Greet/',
    });
    await register(`${V1}/events_listener`, {
      eventType: 'node_event',
      actionHandler: '/events/node',
    });
    await register(`${V1}/ai_provider/translation`, {
      name: 'translation',
      displayName: 'Translation',
      fromLanguages: { en: 'English' },
      toLanguages: { de: 'German' },
      actionHandler: '/translate',
      actionDetectLang: '/detect',
    });
    await register(`${V1}/ai_provider/text_processing`, {
      name: 'text',
      displayName: 'Text',
      taskType: 'headline',
      actionHandler: '/headline',
    });
    await register(`${V1}/ai_provider/speech_to_text`, {
      name: 'ears',
      displayName: 'Ears',
      actionHandler: '/listen',
    });
    await register(`${V1}/talk_bot`, { name: 'Bot', route: '/bot/hears', description: 'A bot' });
  });

  it.each([
    ['PUT', '/enabled?enabled=0'],
    ['POST', '/init'],
    ['GET', '/heartbeat'],
    ['POST', '/files/describe'],
    ['POST', '/files/count'],
    ['POST', '/commands/greet'],
    ['POST', '/events/node'],
    ['POST', '/translate'],
    ['POST', '/detect'],
    ['POST', '/headline'],
    ['POST', '/listen'],
    ['POST', '/bot/hears'],
  ])('is not reachable at %s %s, which is for the gateway only', async (method, path) => {
    const plainPath = path.split('?')[0] ?? '';
    external.on(plainPath, json({}));
    const before = external.requests(plainPath).length;

    expect(await statusOf(method, at(external, path))).toBe(404);
    expect(await statusOf('GET', at(external, path))).toBe(404);

    expect(external.requests(plainPath)).toHaveLength(before);
  });

  it.each([
    '/Enabled',
    '//enabled',
    '/enabled/',
    '/enabled//',
    '/enabled;x=1',
    '/%65nabled',
    '/%2565nabled',
    '/%2Fenabled',
    '/enabled%2F',
    '/enabled%3Fx=1',
    '/enabled%23x',
    '/%5Cenabled',
    '/enabled%20',
    '/%EF%BD%85nabled',
    '/bot//hears',
    '/bot%2Fhears',
    '/BOT/hears/',
  ])('is not reachable at such a path spelled %s', async (path) => {
    const asked: string[] = [];
    external.server.on('request', ({ url = '' }: IncomingMessage) => asked.push(url));

    // 400 where two programs could read the path in two ways.
    expect([400, 404]).toContain(await statusOf('PUT', at(external, path)));
    expect([400, 404]).toContain(await statusOf('PUT', `/exapps/${external.appId}${path}`));

    expect(asked).toEqual([]);
  });

  it('is reachable at all other paths, also below such a path', async () => {
    for (const path of ['/', '/enabled-features', '/api/init', '/files', '/bot/hears/log']) {
      external.on(path, json({}));

      expect((await ada.get(at(external, path))).status).toBe(200);
    }
  });

  it('opens a handler again after unregistering it', async () => {
    external.on('/events/other', json({}));
    const listener = { eventType: 'other_event', actionHandler: '/events/other' };
    await external.as().ocs('POST', `${V1}/events_listener`, { json: listener });
    expect((await ada.get(at(external, '/events/other'))).status).toBe(404);

    await external.as().ocs('DELETE', `${V1}/events_listener?eventType=other_event`);

    expect((await ada.get(at(external, '/events/other'))).status).toBe(200);
  });

  it('reserves the trigger of task processing for the gateway, once it has a provider', async () => {
    external.on('/trigger', json({}));
    expect((await ada.get(at(external, '/trigger'))).status).toBe(200);

    await provideTasks(external, ['core:text2text']);

    expect((await ada.get(at(external, '/trigger'))).status).toBe(404);
  });

  it('may use the path of another app’s handler for a page', async () => {
    const other = await anApp('other-app', 'everything');
    other.on('/translate', json({}));

    expect((await ada.get(at(other, '/translate'))).status).toBe(200);
  });
});

describe('service workers of apps, which would outlive the app in browsers', () => {
  let external: ExternalApp;

  beforeAll(async () => {
    external = await anApp('offline-first', 'everything');
    external.on('/sw.js', (_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/javascript', 'service-worker-allowed': '/' })
        .end('self.addEventListener("fetch", () => {});');
    });
  });

  it.each(['script', 'Script'])('are refused with a message: Service-Worker: %s', async (value) => {
    const before = external.requests('/sw.js').length;

    const { status, text: body } = await ada.call('GET', at(external, '/sw.js'), {
      headers: { 'service-worker': value },
    });

    expect(status).toBe(403);
    expect(body).toContain('Pages of external apps cannot install service workers.');
    expect(external.requests('/sw.js')).toHaveLength(before);
  });

  it('get no wider scope: Service-Worker-Allowed is removed', async () => {
    const { status, headers } = await ada.get(at(external, '/sw.js'));

    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('service-worker-allowed');
  });
});
