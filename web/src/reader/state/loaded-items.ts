import { shallowRef } from 'vue';
import type { Article, Flags } from '../model/entry.js';
import type { ChangedRow, Headline, ItemJson } from '../model/items-api.js';
import { ArticleCache } from './article-cache.js';
import { EntryList } from './entry-list.js';

/** The items of the shown list, the open article, and articles that were open before. */
export class LoadedItems {
  readonly list = new EntryList();
  readonly article = shallowRef<Article | null>(null);
  readonly articles = new ArticleCache();
  /** Requests for articles that are under way. */
  readonly #fetching = new Map<number, Promise<ItemJson | null>>();

  constructor(private readonly findItem: (id: number) => Promise<ItemJson | null>) {}

  find(id: number): Headline | undefined {
    const article = this.article.value;
    return this.list.find(id) ?? (article?.id === id ? article : this.articles.get(id));
  }

  /** `list.publish` announces it. */
  show(id: number, now: Flags): void {
    this.list.change(id, now);
    this.articles.change(id, now);
    if (this.article.value?.id === id) {
      this.article.value = { ...this.article.value, ...now };
    }
  }

  /** @returns null when the item does not exist */
  readonly fetchArticle = async (id: number): Promise<Article | null> => {
    let known = this.articles.get(id);
    if (known === undefined) {
      const asked =
        this.#fetching.get(id) ?? this.findItem(id).finally(() => this.#fetching.delete(id));
      this.#fetching.set(id, asked);
      const item = await asked;
      if (item === null) {
        return null;
      }
      known = this.articles.add(item);
    }
    // Flags may have changed here since it was asked for.
    const { unread, starred, labels = [] } = this.list.find(id) ?? known;
    return { ...known, unread, starred, labels };
  };

  /** Takes over a change made elsewhere. */
  note({ id, unread, starred, labels = [] }: ChangedRow): void {
    const known = this.articles.get(id);
    if (
      known !== undefined &&
      known.unread === unread &&
      known.starred === starred &&
      (known.labels ?? []).join('\n') === labels.join('\n')
    ) {
      // The text has changed: reload it when the article is opened the next time.
      this.articles.forget(id);
    }
    this.show(id, { unread, starred, labels });
  }
}
