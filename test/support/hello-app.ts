import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LifeCyclePace } from '../../src/app-api/life-cycle-pace.js';
import { LifecycleService } from '../../src/app-api/lifecycle.service.js';
import type { TestApp } from './start-app.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/hello-app/app.mjs', import.meta.url));

export const HELLO_APP = { appId: 'hello-app', secret: 'between the two: of us' };

/** The example app as a process of its own, registered and enabled as an administrator does it. */
export interface HelloApp {
  /** The next line of the app's own output that fits. */
  line(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

/** @param hostUrl where the app finds the gateway, when that is not the gateway's own address */
export async function startHelloApp(gateway: TestApp, hostUrl = gateway.url): Promise<HelloApp> {
  const { appId, secret } = HELLO_APP;
  const process = spawn(globalThis.process.execPath, [EXAMPLE], {
    env: {
      APP_ID: appId,
      APP_SECRET: secret,
      APP_PORT: '0',
      NEXTCLOUD_URL: `${hostUrl}/index.php/`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  const line = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const { value, done } = await said.next();
      if (done || pattern.test(value)) {
        return String(value);
      }
    }
  };
  const address = /http\S+/.exec(await line(/listens at/))?.[0] ?? '';
  await register(gateway, address);
  await line(/announced everything/);
  await gateway.app.get(LifecycleService, { strict: false }).settled();
  return {
    line,
    async stop() {
      const gone = once(process, 'exit');
      process.kill('SIGTERM');
      await gone;
    },
  };
}

async function register(gateway: TestApp, baseUrl: string): Promise<void> {
  const pace = gateway.app.get(LifeCyclePace, { strict: false });
  pace.pause = async (_milliseconds, signal) => signal?.throwIfAborted();
  const { appId, secret } = HELLO_APP;
  const { status, text } = await gateway.asAdmin().post('/apps/app_api/apps/register', {
    appId,
    secret,
    baseUrl,
    jsonInfo: { name: 'Hello', version: '1.0.0' },
  });
  if (status !== 200) {
    throw new Error(`The example app was not registered: ${text}`);
  }
}
