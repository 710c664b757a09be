import { UnreadableDocument } from '../../feed-parser/parsed-feed.js';
import { words } from '../../feed-parser/words.js';
import type { ImportedGuid } from '../imported-row.js';

/** The file cannot be imported, and nothing of it must be; the message says why. */
export class UnreadableImport extends UnreadableDocument {}

/** What a file holds. Of `opml` and `gatefold`, which others read, there are no rows. */
export type FormatName =
  | 'feedbin'
  | 'feedly'
  | 'freshrss'
  | 'gatefold'
  | 'google-reader'
  | 'inoreader'
  | 'instapaper'
  | 'karakeep'
  | 'linkwarden'
  | 'miniflux'
  | 'bookmarks'
  | 'netnewswire'
  | 'newsblur'
  | 'nextcloud-news'
  | 'omnivore'
  | 'opml'
  | 'pocket'
  | 'raindrop'
  | 'readwise-reader'
  | 'tt-rss'
  | 'wallabag';

/** A row as the file has it: values of any type, times in any form, addresses of any scheme. */
export interface FoundRow {
  readonly url?: unknown;
  readonly title?: unknown;
  readonly body?: unknown;
  readonly author?: unknown;
  readonly published?: unknown;
  readonly saved?: unknown;
  readonly read?: unknown;
  readonly unread?: unknown;
  readonly starred?: unknown;
  readonly labels?: readonly unknown[];
  readonly note?: unknown;
  readonly highlights?: readonly { readonly text?: unknown; readonly note?: unknown }[];
  /** The feed's own guid. */
  readonly guid?: unknown;
  readonly hash?: ImportedGuid | null;
  readonly enclosureUrl?: unknown;
  readonly enclosureMime?: unknown;
  readonly feedUrl?: unknown;
  readonly feedSite?: unknown;
  readonly feedTitle?: unknown;
  /** Omnivore's name of the files with its text and highlights. */
  readonly slug?: unknown;
}

/** A row, or a reason why one is left out. `at` is its number in the file, from 1. */
export type Found =
  | { readonly at: number; readonly row: FoundRow }
  | { readonly at: number; readonly reason: string };

export const REASONS = {
  cut: 'The file ends in the middle or is damaged; what should come behind this place is missing.',
  rest: 'What comes behind the end of the list is not read.',
  tooLong: 'It is longer than 8 MiB.',
  damaged: 'It is damaged.',
  noAddress: 'It has no address.',
  notOfWeb: 'Its address does not lead to the web.',
  longBody: 'Its text is longer than 1 MiB; it comes without it.',
  manyLabels: 'It has more than 50 labels; the others are left out.',
  manyHighlights: 'It has more than 500 highlights; the others are left out.',
  manyRead: 'Of further, older articles it is not known that you have read them.',
  ofFeed: 'It came from a feed; only what was saved is taken.',
  internal: 'It is a mail or an upload, which only the other program has.',
} as const;

/** Characters of a row in its file; longer ones are left out. */
export const LONGEST_ROW = 8 * 1024 ** 2;

/** A record of a file, its keys as they are there. */
export type Raw = Readonly<Record<string, unknown>>;

/** Where a format has each field: `origin.feedUrl`, with alternatives `content.content|summary.content`. */
export type Fields = readonly (readonly [field: string, paths: string])[];

/** `title url=link` : the title is in `title`, the address in `link`. */
export const fieldsOf = (list: string): Fields =>
  words(list).map((field) => {
    const [name = '', paths = name] = field.split('=');
    return [name, paths];
  });

export function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first value at one of the paths that is neither missing nor empty. */
export function at(raw: unknown, paths: string): unknown {
  for (const path of paths.split('|')) {
    let value: unknown = raw;
    for (const key of path.split('.')) {
      const holder = typeof value === 'object' && value !== null ? value : {};
      value = Object.hasOwn(holder, key) ? (holder as Raw)[key] : undefined;
    }
    if (value !== undefined && value !== null && value !== '') {
      return value;
    }
  }
  return undefined;
}

export function listAt(raw: unknown, paths: string): readonly unknown[] {
  const value = at(raw, paths);
  return Array.isArray(value) ? value : [];
}

export function rowOf(raw: Raw, fields: Fields): FoundRow {
  return Object.fromEntries(fields.map(([field, paths]) => [field, at(raw, paths)]));
}
