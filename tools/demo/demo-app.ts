import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { inPackage } from '../../src/common/package-root.js';
import type { ServiceClient } from './service-client.js';

const FOLDER = inPackage('examples/hello-app');
const APP_ID = 'hello-app';

/** Starts the example app and registers it. @returns ends it */
export async function startDemoApp(
  client: ServiceClient,
  address: string,
): Promise<() => Promise<void>> {
  const infoXml = await readFile(path.join(FOLDER, 'info.xml'), 'utf8');
  const secret = randomBytes(24).toString('hex');
  const child = spawn(process.execPath, [path.join(FOLDER, 'app.mjs')], {
    env: { APP_ID, APP_SECRET: secret, APP_PORT: '0', NEXTCLOUD_URL: `${address}/index.php/` },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  };
  try {
    const baseUrl = await new Promise<string>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the example app ended at its start')));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const listening = /listens at (http\S+)/.exec(line)?.[1];
        if (listening !== undefined) {
          resolve(listening);
        }
      });
    });
    await client.call('POST', '/apps/app_api/apps/register', {
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ appId: APP_ID, secret, baseUrl, infoXml }),
    });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
