import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { startApp, type TestApp } from '../../support/start-app.js';

let app: TestApp;
let agent: http.Agent;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_BASE_URL: 'http://reader.example/gate' });
  agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
});
afterAll(async () => {
  agent.destroy();
  await app.stop();
});

interface Sent {
  readonly status: number | undefined;
  readonly location: string | undefined;
  readonly reusedSocket: boolean;
}

function open(path: string): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const request = http.get(app.url + path, { agent }, (response) => {
      response.resume().once('end', () =>
        resolve({
          status: response.statusCode,
          location: response.headers.location,
          reusedSocket: request.reusedSocket,
        }),
      );
    });
    request.on('error', reject);
  });
}

describe('a visitor without a session', () => {
  it.each([
    ['a page of the host', '/apps/files/a%20b?c=d'],
    ['the page of an external app', '/apps/app_api/embedded/tools/main'],
  ])('is sent to the login, and from there to %s', async (_what, path) => {
    const query = new URLSearchParams({ redirect_url: path });

    expect(await open(path)).toMatchObject({
      status: 302,
      location: `/gate/login?${query.toString()}`,
    });
  });

  it('keeps the connection', async () => {
    await open('/');
    await open('/');

    expect(await open('/')).toMatchObject({ status: 302, reusedSocket: true });
  });
});
