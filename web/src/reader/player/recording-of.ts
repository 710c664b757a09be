import type { Article } from '../items/article-cache.js';
import type { Recording } from './player.js';

/** The recording of an article; null if it has none. */
export function recordingOf(article: Article, feedTitle: string): Recording | null {
  const { id, title, enclosureLink, media, thumbnail } = article;
  return enclosureLink === null || media === null
    ? null
    : { itemId: id, title, feedTitle, url: enclosureLink, picture: webAddress(thumbnail) };
}

/** Pictures of other kinds are left out: the service keeps web addresses only. */
function webAddress(text: string | null): string | null {
  return text !== null && /^https?:\/\//i.test(text) ? text : null;
}
