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
