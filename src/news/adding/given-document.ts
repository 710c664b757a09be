import { withoutControls } from '../feed-parser/html/character-references.js';
import type { AddedItem } from './added-items.input.js';

/**
 * Writes items as a JSON Feed, so that they pass the same parser and sanitiser as those of publishers.
 * The identity of an item is its guid, else its url; of several with one identity the last counts.
 */
export function givenDocument(items: readonly AddedItem[]): Buffer {
  const latest = new Map(items.map((item) => [identityOf(item), item]));
  const document = {
    version: 'https://jsonfeed.org/version/1.1',
    // Publishers list the newest entry first; what was given last is the newest here.
    items: [...latest].reverse().map(([id, item]) => ({
      id,
      url: item.url,
      title: item.title,
      content_html: item.body,
      authors: item.author === undefined ? undefined : [{ name: item.author }],
      date_published:
        item.pubDate === undefined ? undefined : new Date(item.pubDate * 1000).toISOString(),
      attachments:
        item.enclosureLink === undefined
          ? undefined
          : [{ url: item.enclosureLink, mime_type: item.enclosureMime }],
    })),
  };
  return Buffer.from(JSON.stringify(document));
}

function identityOf({ guid = '', url = '' }: AddedItem): string {
  return withoutControls(guid).trim() || url;
}
