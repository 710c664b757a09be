import { NewsClient, ok } from './news-client.js';
import { until } from './until.js';

export interface ImportJson {
  readonly id: number;
  readonly format: string;
  readonly program: string;
  readonly state: string;
  readonly rows: number;
  readonly doneRows: number;
  readonly canBeUndone: boolean;
  readonly hasFeedList: boolean;
  readonly preview: Readonly<Record<string, number>>;
  readonly outcome: Readonly<Record<string, number>>;
  readonly leftOut: readonly { readonly reason: string; readonly count: number }[];
  readonly places: readonly { readonly place: string; readonly reason: string }[];
  readonly feeds: readonly { readonly url: string; readonly feedId: number | null }[];
  readonly rest: { readonly state: string; readonly problem: string | null } | null;
}

interface ImportAnswer {
  readonly import: ImportJson;
}

const ENDED = new Set(['done', 'cancelled', 'undone']);

/** A user's imports, as a page makes them. */
export class Imports {
  constructor(readonly news: NewsClient) {}

  upload(file: string | Buffer | object): Promise<Awaited<ReturnType<NewsClient['call']>>> {
    const body = typeof file === 'string' || Buffer.isBuffer(file) ? file : JSON.stringify(file);
    const headers = { 'content-type': 'application/octet-stream' };
    return this.news.call('POST', '/imports', { body, headers });
  }

  async read(file: string | Buffer | object): Promise<ImportJson> {
    return (await ok<ImportAnswer>(this.upload(file))).import;
  }

  async one(id: number): Promise<ImportJson> {
    return (await ok<ImportAnswer>(this.news.get(`/imports/${id}`))).import;
  }

  async start(id: number): Promise<ImportJson> {
    return (await ok<ImportAnswer>(this.news.post(`/imports/${id}/start`))).import;
  }

  /** @returns the import once it has ended */
  async ended(id: number): Promise<ImportJson> {
    await until(`import ${id}`, async () => ENDED.has((await this.one(id)).state));
    return this.one(id);
  }

  async do(file: string | Buffer | object): Promise<ImportJson> {
    const { id } = await this.read(file);
    await this.start(id);
    return this.ended(id);
  }

  async undo(id: number): Promise<ImportJson> {
    await ok(this.news.post(`/imports/${id}/undo`));
    return this.ended(id);
  }
}

interface Entry {
  readonly url?: string;
  readonly title?: string;
  readonly body?: string;
  readonly guid?: string;
  readonly published?: number;
  readonly feed?: { readonly url: string; readonly title?: string; readonly site?: string };
  readonly read?: boolean;
  readonly starred?: boolean;
  readonly labels?: readonly string[];
}

/** A file as FreshRSS exports it. */
export function freshRss(entries: readonly Entry[]): object {
  const state = (name: string) => `user/-/state/com.google/${name}`;
  return {
    // In a list of starred articles, one without label would be a star.
    id: 'user/-/state/org.freshrss/all',
    title: 'List of articles',
    author: 'ada',
    items: entries.map((entry, n) => ({
      id: `tag:google.com,2005:reader/item/${String(n).padStart(16, '0')}`,
      ...(entry.guid && { guid: entry.guid }),
      crawlTimeMsec: '1700000000000',
      timestampUsec: '1700000000000000',
      published: entry.published ?? 1_600_000_000 + n,
      title: entry.title ?? `Article ${n}`,
      canonical: entry.url ? [{ href: entry.url }] : [],
      categories: [
        ...(entry.read === undefined ? [] : [state(entry.read ? 'read' : 'unread')]),
        ...(entry.starred ? [state('starred')] : []),
        ...(entry.labels ?? []).map((name) => `user/-/label/${name}`),
      ],
      content: { content: entry.body ?? '' },
      origin: {
        streamId: 'feed/7',
        title: entry.feed?.title ?? '',
        htmlUrl: entry.feed?.site ?? '',
        feedUrl: entry.feed?.url ?? '',
      },
    })),
  };
}
