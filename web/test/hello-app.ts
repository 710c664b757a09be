import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Service } from './service.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/hello-app/app.mjs', import.meta.url));
const INFO_XML = fileURLToPath(new URL('../../examples/hello-app/info.xml', import.meta.url));
const APP_ID = 'hello-app';
const SECRET = 'between the two of us';

/** Starts the example app, registered and enabled. @returns stops it */
export async function startHelloApp(service: Service): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [EXAMPLE], {
    env: { APP_ID, APP_SECRET: SECRET, APP_PORT: '0', NEXTCLOUD_URL: service.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const listening = Promise.withResolvers<string>();
  const registered = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const address = /listens at (http\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      listening.resolve(address);
    }
    if (line.includes('registered everything')) {
      registered.resolve();
    }
  });
  const baseUrl = await listening.promise;
  const info = { secret: SECRET, base_url: baseUrl };
  await service.run([
    'app_api:app:register',
    APP_ID,
    '--wait-finish',
    '--info-xml',
    INFO_XML,
    '--json-info',
    JSON.stringify(info),
  ]);
  await registered.promise;
  return async () => {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  };
}
