import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import type { ApiClient } from './api-client.js';
import type { TestApp } from './start-app.js';
import { PROCESS_SECONDS, within } from './until.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/hello-app/app.mjs', import.meta.url));
const INFO_XML = new URL('../../examples/hello-app/info.xml', import.meta.url);

export const HELLO_APP = { appId: 'hello-app', secret: 'between the two: of us' };

/** The example app in a separate process. */
export interface HelloApp {
  readonly baseUrl: string;
  /** The next line of the app's output that matches. */
  line(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

/** The example app, registered and enabled as by an administrator. */
export async function startHelloApp(gateway: TestApp): Promise<HelloApp> {
  const hello = await runHelloApp(gateway.url);
  const pace = gateway.inside(LifecyclePace);
  pace.pause = async (_milliseconds, signal) => signal?.throwIfAborted();
  await registerHelloApp(gateway.asAdmin(), hello);
  await gateway.inside(LifecycleService).settled();
  return hello;
}

/**
 * Starts the process only; it listens when the promise resolves.
 *
 * @param at its previous address; default: a free port
 */
export async function runHelloApp(
  hostUrl: string,
  at?: Pick<HelloApp, 'baseUrl'>,
): Promise<HelloApp> {
  const { appId, secret } = HELLO_APP;
  const child = spawn(process.execPath, [EXAMPLE], {
    env: {
      APP_ID: appId,
      APP_SECRET: secret,
      APP_PORT: at === undefined ? '0' : new URL(at.baseUrl).port,
      NEXTCLOUD_URL: `${hostUrl}/index.php/`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const { value, done } = await said.next();
      if (done) {
        throw new Error(`The example app ended before it said ${pattern}`);
      }
      if (pattern.test(value)) {
        return value;
      }
    }
  };
  const line = (pattern: RegExp, seconds?: number) =>
    within(`a line ${pattern} of the example app`, next(pattern), seconds);
  return {
    baseUrl: /http\S+/.exec(await line(/listens at/, PROCESS_SECONDS))?.[0] ?? '',
    line,
    async stop() {
      if (child.exitCode === null) {
        const gone = once(child, 'exit');
        child.kill('SIGTERM');
        await within('the end of the example app', gone, PROCESS_SECONDS);
      }
    },
  };
}

/** Resolves when the app has registered everything. */
export async function registerHelloApp(
  admin: ApiClient,
  { baseUrl, line }: HelloApp,
): Promise<void> {
  const { status, text } = await admin.post('/apps/app_api/apps/register', {
    ...HELLO_APP,
    baseUrl,
    infoXml: await readFile(INFO_XML, 'utf8'),
  });
  if (status !== 200) {
    throw new Error(`The example app was not registered: ${text}`);
  }
  await line(/registered everything/);
}
