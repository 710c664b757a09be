import { requestJson } from '../../host/http.js';
import { NEWS_ROOT } from '../news-request.js';

/** A file that comes with an article. Addresses are the publisher's. */
export interface Medium {
  readonly url: string;
  readonly mime: string | null;
  readonly kind: 'audio' | 'video' | 'image' | 'other';
  readonly title: string | null;
  /** Bytes. */
  readonly length: number | null;
  readonly thumbnail: string | null;
}

export interface ArticleExtras {
  /** Empty if the item itself names the only file. */
  readonly media: readonly Medium[];
  readonly comments: string | null;
  readonly chapters: string | null;
  readonly tags: readonly string[];
}

export const NO_EXTRAS: ArticleExtras = { media: [], comments: null, chapters: null, tags: [] };

/** See docs/news-api.md. */
export async function fetchExtras(itemId: number): Promise<ArticleExtras> {
  const { extras } = await requestJson<{ extras: ArticleExtras }>(
    `${NEWS_ROOT}/items/${itemId}/extras`,
  );
  return extras;
}
