import { headlineOf, type Article, type Flags } from '../model/entry.js';
import type { ItemJson } from '../model/items-api.js';

const ARTICLES_KEPT = 40;

/** The most recently opened articles by item id. */
export class ArticleCache {
  readonly #articles = new Map<number, Article>();

  get(id: number): Article | undefined {
    return this.#articles.get(id);
  }

  add(item: ItemJson): Article {
    const article = toArticle(item);
    this.#articles.set(item.id, article);
    for (const oldestId of this.#articles.keys()) {
      if (this.#articles.size <= ARTICLES_KEPT) {
        break;
      }
      this.#articles.delete(oldestId);
    }
    return article;
  }

  /** Does nothing unless the article is cached. */
  change(id: number, flags: Flags): void {
    const article = this.#articles.get(id);
    if (article !== undefined) {
      this.#articles.set(id, { ...article, ...flags });
    }
  }

  forget(id: number): void {
    this.#articles.delete(id);
  }

  clear(): void {
    this.#articles.clear();
  }
}

function toArticle(item: ItemJson): Article {
  return {
    ...headlineOf(item),
    author: item.author?.trim() ?? '',
    body: item.body,
    enclosureLink: item.enclosureLink,
    enclosureMime: item.enclosureMime,
    thumbnail: item.mediaThumbnail,
    translatedTitle: item.translatedTitle ?? null,
    summary: item.summary ?? null,
  };
}
