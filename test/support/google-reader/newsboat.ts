import { z } from 'zod';
import type { Credentials } from '../api-client.js';
import { Program, type Article, type ShelvedFeed } from './program.js';
import { authLine, itemOfLong, long, READ, ReaderWire, STARRED, Undecodable } from './wire.js';

const Subscriptions = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      categories: z.array(z.object({ label: z.string() })),
    }),
  ),
});

/** The C++ library throws for a value of another type, which ends the page. */
const Entries = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      canonical: z.array(z.object({ href: z.string() })),
      author: z.string().nullish(),
      // The first in the order of the names that is not null is the text.
      summary: z.record(z.string(), z.string().nullable()),
      published: z.int32(),
      enclosure: z.array(z.object({ href: z.string(), type: z.string() })).nullish(),
      categories: z.array(z.string()),
    }),
  ),
});

/**
 * newsboat with `urls-source "freshrss"`: the newest 20 items of every feed and of the list of
 * starred items, all of it each time. Gets a token for every edit, and only the body `OK` counts.
 */
export class Newsboat extends Program {
  readonly #wire: ReaderWire;

  constructor(url: string) {
    super();
    this.#wire = new ReaderWire(`${url}/api/greader.php`, 'newsboat/2.38 (Linux x86_64)');
  }

  async logIn({ userId, password }: Credentials): Promise<void> {
    const [user, pass] = [userId, password].map((each) => encodeURIComponent(each));
    const { text } = await this.#wire.postRaw(
      '/accounts/ClientLogin',
      `service=reader&Email=${user}&Passwd=${pass}&source=newsboat%2F2.38&accountType=HOSTED_OR_GOOGLE&continue=http://www.google.com/`,
    );
    this.#wire.auth = authLine(text);
  }

  async sync(): Promise<void> {
    const path = '/reader/api/0/subscription/list?output=json';
    const { subscriptions } = await this.#wire.json(Subscriptions, path);
    this.feeds = subscriptions.map(({ id, title, categories }) => ({
      id,
      title,
      url: '',
      folder: categories[0]?.label ?? null,
    }));
    for (const article of this.articles.values()) {
      article.starred = false;
    }
    for (const { id } of this.feeds) {
      await this.#fetch(id, encodeURIComponent(id));
    }
    await this.#fetch(null, STARRED);
  }

  async #fetch(feedId: string | null, stream: string): Promise<void> {
    const path = `/reader/api/0/stream/contents/${stream}?n=20`;
    const { items } = await this.#wire.json(Entries, path);
    for (const entry of items) {
      const item = itemOfLong(entry.id);
      const known = this.articles.get(item);
      const [content] = Object.keys(entry.summary).toSorted();
      if (content !== 'content') {
        throw new Undecodable(`The text would be "${content}"`);
      }
      this.articles.set(item, {
        item,
        title: entry.title,
        link: entry.canonical.find(({ href }) => href !== '')?.href ?? null,
        feedId: feedId ?? known?.feedId ?? '',
        read: entry.categories.includes(READ),
        starred: feedId === null || known?.starred === true,
      });
    }
  }

  async #edit(path: string, body: string): Promise<void> {
    const token = await this.#wire.text('/reader/api/0/token');
    const answer = this.#wire.postRaw(`/reader/api/0/${path}`, `${body}&T=${token}`);
    await this.#wire.mustBeOk(answer);
  }

  setRead({ item }: Article, read: boolean): Promise<void> {
    const kept = 'user/-/state/com.google/kept-unread';
    return this.#edit(
      'edit-tag',
      read
        ? `i=${long(item)}&a=${READ}&r=${kept}&ac=edit`
        : `i=${long(item)}&r=${READ}&a=${kept}&a=user/-/state/com.google/tracking-kept-unread&ac=edit`,
    );
  }

  setStarred({ item }: Article, starred: boolean): Promise<void> {
    return this.#edit('edit-tag', `i=${long(item)}&${starred ? 'a' : 'r'}=${STARRED}&ac=edit`);
  }

  override markFeedRead(feed: ShelvedFeed): Promise<void> {
    return this.#edit('mark-all-as-read', `s=${feed.id}`);
  }
}
