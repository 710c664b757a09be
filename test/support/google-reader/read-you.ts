import { z } from 'zod';
import type { Credentials } from '../api-client.js';
import { chunks, inParallel, Program, type Article, type ShelvedFeed } from './program.js';
import {
  decimal,
  decode,
  itemOf,
  itemOfLong,
  READ,
  READING_LIST,
  ReaderWire,
  STARRED,
  Undecodable,
  type Pair,
} from './wire.js';

/** Gson leaves out what is missing, but throws for a value of another type. */
const text = z.string().nullish();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).nullish();
const Href = z.object({ href: text });

const Subscriptions = z.object({
  subscriptions: z.array(
    z.object({
      // Required by what it does with them.
      id: z.string(),
      url: z.string(),
      title: text,
      categories: list(z.object({ id: z.string(), label: z.string() })),
      htmlUrl: text,
      iconUrl: text,
    }),
  ),
});

const Ids = z.object({ itemRefs: list(z.object({ id: text })), continuation: text });

const Contents = z.object({
  id: text,
  updated: z.int().nullish(),
  items: list(
    z.object({
      id: z.string(),
      crawlTimeMsec: z.string().regex(/^\d+$/).nullish(),
      timestampUsec: text,
      published: z.int().nullish(),
      title: text,
      summary: z.object({ content: text }).nullish(),
      categories: list(z.string()),
      origin: z.object({ streamId: z.string(), htmlUrl: text, title: text }),
      author: text,
      canonical: list(Href),
      alternate: list(Href),
    }),
  ),
});

const QuickAdd = z.object({
  numResults: z.int().nullish(),
  query: text,
  streamId: z.string(),
  streamName: text,
});

/**
 * Read You as account type "FreshRSS": the lists of ids at once, by pages of 1000, then contents of
 * 100 ids, eight requests at once, then the flags from the lists. Sends short ids everywhere, and
 * the address of a new feed both in the query (not encoded) and in the body.
 */
export class ReadYou extends Program {
  readonly #wire: ReaderWire;
  #actionToken = '';

  constructor(url: string) {
    super();
    this.#wire = new ReaderWire(`${url}/api/greader.php/`, 'ReadYou/0.15.3');
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const answer = await this.#wire.post('accounts/ClientLogin', [
      ['output', 'json'],
      ['Email', userId],
      ['Passwd', password],
      ['client', 'ReadYou'],
      ['accountType', 'HOSTED_OR_GOOGLE'],
      ['service', 'reader'],
    ]);
    const Auth = z.object({ SID: text, LSID: text, Auth: z.string().min(1) });
    this.#wire.auth = decode(Auth, answer.json).Auth;
    this.#actionToken = await this.#wire.text('reader/api/0/token');
    const User = z.object({ userId: text, userName: text, userProfileId: text, userEmail: text });
    await this.#get(User, 'user-info');
  }

  #get<Shape>(schema: z.ZodType<Shape>, query: string, parameters: readonly Pair[] = []) {
    const more = parameters.map(([name, value]) => `&${name}=${value}`).join('');
    return this.#wire.json(schema, `reader/api/0/${query}?output=json${more}`);
  }

  #post(query: string, pairs: readonly Pair[], inQuery = '') {
    const path = `reader/api/0/${query}?output=json${inQuery}`;
    return this.#wire.post(path, [...pairs, ['T', this.#actionToken]]);
  }

  /** Gson reads a bare word as a string. */
  async #edit(query: string, pairs: readonly Pair[]): Promise<void> {
    const answer = await this.#post(query, pairs);
    if (!/^\S+$/.test(answer.text)) {
      throw new Undecodable(`Not one word: ${answer.text}`);
    }
  }

  async #ids(...select: Pair[]): Promise<Set<number>> {
    const ids = new Set<number>();
    let continuation: string | null | undefined;
    do {
      const page: Pair[] = [...select, ['n', '1000']];
      if (typeof continuation === 'string') {
        page.push(['c', continuation]);
      }
      const answer = await this.#get(Ids, 'stream/items/ids', page);
      for (const { id } of answer.itemRefs ?? []) {
        if (typeof id === 'string') {
          ids.add(itemOf(id));
        }
      }
      continuation = answer.continuation;
    } while (typeof continuation === 'string');
    return ids;
  }

  async sync(): Promise<void> {
    const lastMonth = String(Math.floor(Date.now() / 1000) - 30 * 86_400);
    const [unread, starred, read, { subscriptions }] = await Promise.all([
      this.#ids(['s', READING_LIST], ['xt', READ]),
      this.#ids(['s', STARRED]),
      this.#ids(['s', READING_LIST], ['it', READ], ['ot', lastMonth]),
      this.#get(Subscriptions, 'subscription/list'),
    ]);
    this.feeds = subscriptions.map(({ id, title, url, categories }) => ({
      id,
      title: title ?? '',
      url,
      folder: categories?.[0]?.label ?? null,
    }));
    const missing = [...new Set([...unread, ...starred, ...read])].filter(
      (item) => !this.articles.has(item),
    );
    await inParallel(chunks(missing, 100), 8, (items) => this.#fetchContents(items));
    for (const article of this.articles.values()) {
      article.read = read.has(article.item) && !unread.has(article.item);
      article.starred = starred.has(article.item);
    }
  }

  async #fetchContents(items: readonly number[]): Promise<void> {
    const answer = await this.#post(
      'stream/items/contents',
      items.map((item) => ['i', decimal(item)]),
    );
    for (const entry of decode(Contents, answer.json).items ?? []) {
      const item = itemOfLong(entry.id);
      this.articles.set(item, {
        item,
        title: entry.title ?? '',
        link: entry.canonical?.[0]?.href ?? null,
        feedId: entry.origin.streamId,
        read: false,
        starred: false,
      });
    }
  }

  setRead({ item }: Article, read: boolean): Promise<void> {
    return this.#edit('edit-tag', [
      ['i', decimal(item)],
      [read ? 'a' : 'r', READ],
    ]);
  }

  setStarred({ item }: Article, starred: boolean): Promise<void> {
    return this.#edit('edit-tag', [
      ['i', decimal(item)],
      [starred ? 'a' : 'r', STARRED],
    ]);
  }

  override async subscribe(url: string, folder: string): Promise<void> {
    const answer = await this.#post(
      'subscription/quickadd',
      [['quickadd', url]],
      `&quickadd=${url}`,
    );
    const { streamId } = decode(QuickAdd, answer.json);
    await this.#edit('subscription/edit', [
      ['ac', 'edit'],
      ['s', `feed/${streamId.replace('feed/', '')}`],
      ['a', `user/-/label/${folder}`],
      ['t', 'Added by Read You'],
    ]);
  }

  override renameFeed(feed: ShelvedFeed, title: string): Promise<void> {
    return this.#edit('subscription/edit', [
      ['ac', 'edit'],
      ['s', feed.id],
      ['t', title],
    ]);
  }

  override moveFeed(feed: ShelvedFeed, folder: string): Promise<void> {
    return this.#edit('subscription/edit', [
      ['ac', 'edit'],
      ['s', feed.id],
      ['a', `user/-/label/${folder}`],
      ['r', `user/-/label/${feed.folder ?? 'Defaults'}`],
    ]);
  }

  override unsubscribe(feed: ShelvedFeed): Promise<void> {
    return this.#edit('subscription/edit', [
      ['ac', 'unsubscribe'],
      ['s', feed.id],
    ]);
  }

  /** A change of no feed. */
  override createFolder(name: string): Promise<void> {
    return this.#edit('subscription/edit', [
      ['ac', 'edit'],
      ['a', `user/-/label/${name}`],
    ]);
  }

  override renameFolder(name: string, newName: string): Promise<void> {
    return this.#edit('rename-tag', [
      ['s', `user/-/label/${name}`],
      ['dest', `user/-/label/${newName}`],
    ]);
  }

  override removeFolder(name: string): Promise<void> {
    return this.#edit('disable-tag', [['s', `user/-/label/${name}`]]);
  }
}
