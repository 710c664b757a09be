import type { Article } from '../model/entry.js';
import type { Recording } from './playlist.js';

/** The recording of an article; null if it has none. */
export function recordingOf(article: Article, feedTitle: string): Recording | null {
  const { id, title, enclosureLink, media, thumbnail } = article;
  return enclosureLink === null || media === null
    ? null
    : { itemId: id, title, feedTitle, url: enclosureLink, picture: webAddress(thumbnail) };
}

/** Other kinds of pictures are omitted: the service stores web addresses only. */
function webAddress(text: string | null): string | null {
  return text !== null && /^https?:\/\//i.test(text) ? text : null;
}
