import type { Command } from 'commander';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../common/config/config.js';
import { startDemoPublisher } from './demo-publisher.js';
import { say, table } from '../../common/command-line/say.js';
import { serve } from '../serve.command.js';

const USER = 'demo';
/** Public, so the demo listens on the loopback interface only. */
const PASSWORD = 'gatefold-demo';

export function registerDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('run a demo with sample feeds and temporary data')
    .action(demo);
}

async function demo(): Promise<void> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'gatefold-demo-'));
  // As root, the database server runs as another user, which needs access to the folder.
  await chmod(dataDir, 0o711);
  const publisher = await startDemoPublisher();
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
      const client = new DemoClient(service.address);
      await showAround(client, [...publisher.feedUrls, publisher.clockUrl]);
      say(explorationHints(service.address));
    } catch (error) {
      await service.app.close();
      throw error;
    }
    await service.stopped;
  } finally {
    await publisher.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface DemoFeed {
  readonly id: number;
  readonly title: string;
  readonly unreadCount: number;
}

interface DemoItem {
  readonly title: string;
  readonly author: string | null;
  readonly pubDate: number;
  readonly unread: boolean;
}

/** Uses the API like a client. */
async function showAround(client: DemoClient, feedUrls: readonly string[]): Promise<void> {
  const { folders } = await client.call<{ folders: { id: number }[] }>('POST', '/folders', {
    name: 'Samples',
  });
  const folderId = folders[0]?.id ?? null;
  for (const url of feedUrls) {
    const { feeds } = await client.call<{ feeds: DemoFeed[] }>('POST', '/feeds', { url, folderId });
    say(`subscribed to ${feeds[0]?.title ?? url}`);
  }

  await client.call('GET', '/cleanup/before-update');
  const all = await client.call<{ feeds: { id: number; userId: string }[] }>('GET', '/feeds/all');
  for (const { id, userId } of all.feeds) {
    await client.call('GET', `/feeds/update?userId=${userId}&feedId=${id}`);
  }
  await client.call('GET', '/cleanup/after-update');
  say(`updated ${all.feeds.length} feeds\n`);

  const { feeds } = await client.call<{ feeds: DemoFeed[] }>('GET', '/feeds');
  say(table([['FEED', 'UNREAD'], ...feeds.map((feed) => [feed.title, String(feed.unreadCount)])]));
  say('');
  const { items } = await client.call<{ items: DemoItem[] }>('GET', '/items?batchSize=20');
  say(
    table([
      ['PUBLISHED', 'AUTHOR', 'TITLE'],
      ...items.map(({ title, author, pubDate }) => [
        new Date(pubDate * 1000).toISOString().slice(0, 16).replace('T', ' '),
        author ?? '',
        title,
      ]),
    ]),
  );
}

class DemoClient {
  readonly #root: string;

  constructor(address: string) {
    this.#root = `${address}/index.php/apps/news/api/v1-3`;
  }

  async call<Answer>(method: string, route: string, body?: object): Promise<Answer> {
    const answer = await fetch(this.#root + route, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) {
      throw new Error(`${method} ${route} answered ${answer.status}: ${await answer.text()}`);
    }
    return (await answer.json()) as Answer;
  }
}

function explorationHints(address: string): string {
  return `
Gatefold runs at ${address} until Ctrl-C. One more entry arrives every minute.
User ${USER}, password ${PASSWORD}; all data is thrown away at the end.

  curl -u ${USER}:${PASSWORD} ${address}/index.php/apps/news/api/v1-3/feeds
  curl -u ${USER}:${PASSWORD} '${address}/index.php/apps/news/api/v1-3/items?batchSize=3'
`;
}
