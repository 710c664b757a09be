import { z } from 'zod';
import type { Credentials } from '../api-client.js';
import { Program, type Article, type ShelvedFeed } from './program.js';
import {
  authLine,
  decode,
  form,
  FORM,
  itemOf,
  itemOfLong,
  long,
  READ,
  READING_LIST,
  ReaderWire,
  STARRED,
  Undecodable,
} from './wire.js';

const Tags = z.object({
  tags: z.array(z.object({ id: z.string().min(1), type: z.string().optional() })),
});

const Subscriptions = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string().min(1),
      title: z.string().min(1),
      htmlUrl: z.string(),
      // Downloaded without the header.
      iconUrl: z.union([z.literal(''), z.url()]),
      categories: z.array(z.object({ id: z.string() })),
    }),
  ),
});

const Ids = z.object({
  itemRefs: z.array(z.object({ id: z.string().regex(/^\d+$/) })),
  continuation: z.string().optional(),
});

const Contents = z.object({
  continuation: z.string().optional(),
  items: z.array(
    z.object({
      id: z.string().startsWith('tag:google.com,2005:reader/item/'),
      title: z.string(),
      author: z.string().optional(),
      // QJsonValue::toInt() gives 0 for anything else.
      published: z.int32(),
      alternate: z.array(z.object({ href: z.string(), type: z.string().optional() })),
      enclosure: z.array(z.object({ href: z.string(), type: z.string() })).optional(),
      categories: z.array(z.string()),
      summary: z.object({ content: z.string() }),
      origin: z.object({ streamId: z.string() }),
    }),
  ),
});

const label = (folder: string) => `user/-/label/${encodeURIComponent(folder)}`;

/**
 * RSS Guard as "FreshRSS": all ids and unread ids of the last year, up to 200 000 in one answer,
 * contents of up to 9999 encoded ids in one request, contents again of what changed. Never sends a
 * token. Changes of feeds are in the query; the body is `T=` without a content type.
 */
export class RssGuard extends Program {
  readonly #wire: ReaderWire;
  folders: readonly string[] = [];
  labels: readonly string[] = [];

  constructor(url: string) {
    super();
    this.#wire = new ReaderWire(`${url}/api/greader.php/`, 'RSS Guard/5.0.4');
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const answer = await this.#wire.post('accounts/ClientLogin', [
      ['Email', userId],
      ['Passwd', password],
    ]);
    const auth = authLine(answer.text.replaceAll('\r', ''));
    if (/^(NA|unused|none|null)$/.test(auth)) {
      throw new Undecodable(auth);
    }
    this.#wire.auth = auth;
  }

  async sync(): Promise<void> {
    await this.#readTree();
    const starred = new Set(await this.#ids(STARRED, false));
    const all = new Set(await this.#ids(READING_LIST, false));
    const unread = new Set(await this.#ids(READING_LIST, true));
    const wanted = [...all, ...starred].filter((item) => {
      const known = this.articles.get(item);
      return (
        known === undefined ||
        known.read === unread.has(item) ||
        known.starred !== starred.has(item)
      );
    });
    for (const { starred: local, item } of this.articles.values()) {
      if (local && !starred.has(item)) {
        wanted.push(item);
      }
    }
    await this.#fetchContents([...new Set(wanted)]);
  }

  async #readTree(): Promise<void> {
    const { tags } = await this.#wire.json(Tags, 'reader/api/0/tag/list?output=json');
    const named = (type: string) =>
      tags.filter((tag) => tag.type === type).map(({ id }) => id.slice(id.lastIndexOf('/') + 1));
    this.folders = named('folder');
    this.labels = named('tag');
    const path = 'reader/api/0/subscription/list?output=json';
    const { subscriptions } = await this.#wire.json(Subscriptions, path);
    this.feeds = subscriptions.map(({ id, title, htmlUrl, categories }) => {
      const category = categories.find((each) => each.id.includes('/label/'))?.id;
      // A feed of a category that is no folder would not be shown.
      if (category !== undefined && !tags.some((tag) => tag.id === category)) {
        throw new Undecodable(`${category} is no folder`);
      }
      const folder = category === undefined ? null : category.slice(category.lastIndexOf('/') + 1);
      return { id, title, url: htmlUrl, folder };
    });
  }

  async #ids(stream: string, unreadOnly: boolean): Promise<number[]> {
    const ids: number[] = [];
    const aYearAgo = new Date(Date.now() - 365 * 86_400_000).setHours(0, 0, 0, 0) / 1000;
    let continuation = '';
    do {
      const path = [
        `reader/api/0/stream/items/ids?output=json&n=200000&s=${encodeURIComponent(stream)}`,
        ...(unreadOnly ? [`xt=${READ}`] : []),
        ...(continuation === '' ? [] : [`c=${continuation}`]),
        `ot=${aYearAgo}`,
      ].join('&');
      const answer = await this.#wire.json(Ids, path);
      ids.push(...answer.itemRefs.map(({ id }) => itemOf(id)));
      continuation = answer.continuation ?? '';
    } while (continuation !== '');
    return ids;
  }

  async #fetchContents(items: readonly number[]): Promise<void> {
    if (items.length === 0) {
      return;
    }
    const answer = await this.#wire.call(
      'POST',
      'reader/api/0/stream/items/contents?output=json&n=200000',
      form(items.map((item) => ['i', long(item)])),
      FORM,
    );
    const { items: entries, continuation } = decode(Contents, answer.json);
    if (continuation !== undefined && continuation !== '') {
      throw new Undecodable('It would ask for the same ids for ever');
    }
    for (const entry of entries) {
      const item = itemOfLong(entry.id);
      const has = (state: string) => entry.categories.some((each) => each.endsWith(state));
      this.articles.set(item, {
        item,
        title: entry.title,
        link: entry.alternate.at(-1)?.href ?? null,
        feedId: entry.origin.streamId,
        read: has('state/com.google/read'),
        starred: has('state/com.google/starred'),
      });
    }
  }

  async #edit(article: Article, action: 'a' | 'r', tag: string): Promise<void> {
    await this.#wire.postRaw('reader/api/0/edit-tag', `${action}=${tag}&i=${long(article.item)}`);
  }

  setRead(article: Article, read: boolean): Promise<void> {
    return this.#edit(article, read ? 'a' : 'r', READ);
  }

  setStarred(article: Article, starred: boolean): Promise<void> {
    return this.#edit(article, starred ? 'a' : 'r', STARRED);
  }

  setLabel(article: Article, name: string, labelled: boolean): Promise<void> {
    return this.#edit(article, labelled ? 'a' : 'r', `user/-/label/${name}`);
  }

  async #change(operation: string, streamId: string, more: string): Promise<void> {
    const path = `reader/api/0/subscription/edit?ac=${operation}&s=${streamId}${more}`;
    await this.#wire.call('POST', path, 'T=');
  }

  override subscribe(url: string, folder: string): Promise<void> {
    const more = `&t=Added%20by%20RSS%20Guard&a=${label(folder)}`;
    return this.#change('subscribe', `feed/${encodeURIComponent(url)}`, more);
  }

  override renameFeed(feed: ShelvedFeed, title: string): Promise<void> {
    return this.#change('edit', feed.id, `&t=${encodeURIComponent(title)}`);
  }

  override moveFeed(feed: ShelvedFeed, folder: string): Promise<void> {
    return this.#change('edit', feed.id, `&t=${encodeURIComponent(feed.title)}&a=${label(folder)}`);
  }

  override unsubscribe(feed: ShelvedFeed): Promise<void> {
    return this.#change('unsubscribe', feed.id, '');
  }

  async exportOpml(): Promise<string> {
    return this.#wire.text('reader/api/0/subscription/export');
  }

  async importOpml(opml: string): Promise<void> {
    await this.#wire.call('POST', 'reader/api/0/subscription/import', opml);
  }
}
