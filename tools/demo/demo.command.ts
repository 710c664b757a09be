import type { Command } from 'commander';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { serve } from '../../src/cli/serve.command.js';
import { inOwnProcess } from '../../src/common/command-line/own-process.js';
import { say } from '../../src/common/command-line/say.js';
import { loadConfig } from '../../src/settings.js';
import { startDemoApp } from './demo-app.js';
import { startDemoPublisher } from './demo-publisher.js';
import { converse, storeFiles, subscribeToAll } from './demo-setup.js';
import { ServiceClient } from './service-client.js';

const USER = 'demo';
/** Public, so the demo listens on the loopback interface only. */
const PASSWORD = 'gatefold-demo';

export function registerDemoCommand(program: Command): void {
  inOwnProcess(program.command('demo'))
    .description(
      'run a demo with sample feeds, files, a conversation and an app, in temporary data',
    )
    .action(demo);
}

async function demo(): Promise<void> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'gatefold-demo-'));
  // As root, the database server runs as another user, which needs access to the folder.
  await chmod(dataDir, 0o711);
  const publisher = await startDemoPublisher();
  let stopApp = async (): Promise<void> => {};
  try {
    const service = await serve(
      loadConfig({
        GATEFOLD_PORT: process.env['GATEFOLD_PORT'],
        GATEFOLD_DATA_DIR: dataDir,
        GATEFOLD_ADMIN_USER: USER,
        GATEFOLD_ADMIN_PASSWORD: PASSWORD,
        GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
        GATEFOLD_UPDATE_INTERVAL_SECONDS: '60',
        GATEFOLD_LOG_LEVEL: process.env['GATEFOLD_LOG_LEVEL'] ?? 'warn',
      }),
    );
    try {
      const { address } = service;
      const client = new ServiceClient(address, USER, PASSWORD);
      const feeds = [{ url: publisher.clockUrl, language: 'en' }, ...publisher.feeds];
      const [articles] = await Promise.all([
        subscribeToAll(client, feeds),
        storeFiles(client),
        converse(client, address),
      ]);
      // Runs last: it notifies about every stored file.
      await startDemoApp(client, address).then(
        (stop) => (stopApp = stop),
        (error: Error) => say(`The example app is not shown: ${error.message}`),
      );
      say(
        `${feeds.length} feeds with ${articles} articles are ready.\n${explorationHints(address)}`,
      );
    } catch (error) {
      await service.app.close();
      throw error;
    }
    await service.stopped;
  } finally {
    await stopApp();
    await publisher.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function explorationHints(address: string): string {
  return `
Open ${address} in a browser: user ${USER}, password ${PASSWORD}.
It runs until Ctrl-C, and one more article arrives every minute. All data is thrown away at the end.

  curl -u ${USER}:${PASSWORD} ${address}/index.php/apps/news/api/v1-3/feeds
  curl -u ${USER}:${PASSWORD} '${address}/index.php/apps/news/api/v1-3/items?batchSize=3'
`;
}
