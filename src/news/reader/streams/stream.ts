import { cutAt, textOfHtml } from '../../feed-parser/html/plain-text.js';

/** A set of a user's items. */
export type ItemSet =
  | { readonly of: 'all' | 'read' | 'unread' | 'starred' }
  /** Items of any of the feeds, and items with the label. Without both: nothing. */
  | { readonly of: 'tag'; readonly feedIds: readonly number[]; readonly labelId: number | null }
  /** Items by their ids, such as those that a search found. */
  | { readonly of: 'items'; readonly itemIds: readonly number[] };

/** The items of a stream. Feeds and labels of other users are empty, feeds marked for deletion too. */
export interface StreamSelection {
  /** Items in all of these sets. */
  readonly within: readonly ItemSet[];
  /** Items in none of these sets. */
  readonly without: readonly ItemSet[];
  /** Arrival, unix microseconds, inclusive; null is no bound. */
  readonly fromMicros: number | null;
  readonly toMicros: number | null;
}

/** Items in the order of their ids, which is the order of arrival. */
export interface StreamPage {
  readonly oldestFirst: boolean;
  /** Exclusive item id; null starts from the beginning, and delivers first. */
  readonly after: number | null;
  readonly limit: number;
}

/** A file that comes with an item. */
export interface StreamEnclosure {
  readonly url: string;
  readonly mime: string | null;
  /** Bytes, as the publisher says. */
  readonly length: number | null;
}

/** An item with everything that an API shows of it. */
export interface StreamItem {
  readonly id: number;
  readonly feedId: number;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly arrivedMicros: number;
  readonly lastModifiedMicros: number;
  /** Names, in alphabetical order. */
  readonly labels: readonly string[];
  readonly guid: string;
  readonly title: string | null;
  readonly url: string | null;
  readonly author: string | null;
  readonly pubDateSeconds: number;
  readonly updatedDateSeconds: number | null;
  readonly rtl: boolean;
  /** HTML; the full text in feeds that show it. */
  readonly body: string;
  /** The main one first. */
  readonly enclosures: readonly StreamEnclosure[];
  /** Plain texts of the publisher. */
  readonly tags: readonly string[];
}

/** Characters of the body from which a title is made. */
const LOOKED_AT_CHARACTERS = 4000;
const LONGEST_MADE_TITLE = 80;

/** The title or a replacement: some clients lose a whole page over an empty one. */
export function shownTitle({
  title,
  body,
  url,
}: Pick<StreamItem, 'title' | 'body' | 'url'>): string {
  return title?.trim() || firstWords(body) || (URL.parse(url ?? '')?.hostname ?? '') || 'Untitled';
}

function firstWords(html: string): string {
  const beginning = html.slice(0, LOOKED_AT_CHARACTERS);
  const lastTag = beginning.lastIndexOf('<');
  const isCut = lastTag > beginning.lastIndexOf('>');
  const text = textOfHtml(isCut ? beginning.slice(0, lastTag) : beginning);
  if (text.length <= LONGEST_MADE_TITLE) {
    return text;
  }
  const cut = cutAt(text, LONGEST_MADE_TITLE);
  const end = cut.lastIndexOf(' ');
  return `${end > 0 ? cut.slice(0, end) : cut}…`;
}
