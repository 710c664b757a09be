import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { rss, type FeedServer, type RssItem } from '../../test/support/feed-server.js';
import type { Person, Service } from './service.js';

const NEWS = '/index.php/apps/news/api/v1-3';

/** Articles `<title> article 1` and so on; the first is the newest. */
export function articlesOf(feed: string, count: number): RssItem[] {
  return Array.from({ length: count }, (_, n) => ({
    title: `${feed} article ${n + 1}`,
    guid: `${feed} ${n + 1}`,
    link: `https://publisher.example/${encodeURIComponent(feed)}/${n + 1}`,
    body: `<p>Text of <b>article ${n + 1}</b> of ${feed}. ${'It goes on for a while. '.repeat(8)}</p>`,
    author: 'Grace Hopper',
    pubDate: new Date(Date.UTC(2026, 9, 20) - n * 3_600_000),
  }));
}

export function publishFeed(
  feeds: FeedServer,
  path: string,
  title: string,
  articles: number | readonly RssItem[],
): string {
  const items = typeof articles === 'number' ? articlesOf(title, articles) : articles;
  feeds.publish(path, rss({ title, link: feeds.url('/'), items }));
  return feeds.url(path);
}

export async function subscribe(
  service: Service,
  person: Person,
  url: string,
  folderId: number | null = null,
): Promise<number> {
  const answer = await service.call(person, 'POST', `${NEWS}/feeds`, { url, folderId });
  return (answer as { feeds: [{ id: number }] }).feeds[0].id;
}

export async function addFolder(service: Service, person: Person, name: string): Promise<number> {
  const answer = await service.call(person, 'POST', `${NEWS}/folders`, { name });
  return (answer as { folders: [{ id: number }] }).folders[0].id;
}

/**
 * Brings in `Article 1 of feed 1` and so on by an export of Nextcloud News; the last articles are the newest. The
 * feeds cannot be fetched.
 *
 * @param folders their names; the feeds are dealt out to them in turns
 */
export async function importArticles(
  service: Service,
  { userId }: Person,
  feeds: number,
  articlesPerFeed: number,
  folders: readonly string[] = [],
): Promise<void> {
  const of = { user_id: userId, deleted_at: 0 };
  const rows: object[] = folders.map((name, n) => ({ table: 'folders', id: n + 1, name, ...of }));
  for (let feed = 1; feed <= feeds; feed += 1) {
    const link = `http://127.0.0.1:9/${feed}`;
    const folder = folders.length > 0 ? 1 + (feed % folders.length) : null;
    const about = { url: `${link}.xml`, title: `Feed ${feed}`, link, added: 1_700_000_000 };
    rows.push({ table: 'feeds', id: feed, folder_id: folder, ...about, ...of });
  }
  for (let n = 0; n < feeds * articlesPerFeed; n += 1) {
    const feed = 1 + (n % feeds);
    const article = 1 + Math.floor(n / feeds);
    rows.push({
      ...of,
      table: 'items',
      id: n + 1,
      feed_id: feed,
      guid: `many-${n}`,
      url: `http://127.0.0.1:9/${feed}/${article}`,
      title: `Article ${article} of feed ${feed}`,
      author: 'Somebody',
      pub_date: 1_700_000_000 + n,
      body: `<p>What <b>article ${article}</b> has to say.</p>`,
      unread: true,
      starred: false,
      rtl: false,
      last_modified: (1_700_000_000 + n) * 1_000_000,
    });
  }
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gatefold-articles-'));
  const file = path.join(folder, 'news.ndjson');
  await writeFile(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  await service.run(['news:import-nextcloud', file, '--new-ids']);
  await rm(folder, { recursive: true });
}

export interface StoredItem {
  readonly id: number;
  readonly title: string;
  readonly unread: boolean;
  readonly starred: boolean;
}

/** What the service says, by title. */
export async function storedItems(
  service: Service,
  person: Person,
): Promise<ReadonlyMap<string, StoredItem>> {
  const { items } = (await service.call(person, 'GET', `${NEWS}/items?type=3`)) as {
    items: StoredItem[];
  };
  return new Map(items.map((item) => [item.title, item]));
}
