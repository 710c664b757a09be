import { isObject } from '../../../common/is-object.js';
import { readDate } from '../dates/read-date.js';
import { escapeHtml, withoutControls } from '../html/character-references.js';
import { lineOf, safeLineOf, htmlOfText } from '../html/prose.js';
import { chooseEnclosures, type MediaOffer } from '../items/enclosure.js';
import { extrasOf } from '../items/extras.js';
import { finishItems, LONGEST_TITLE, type ItemDraft, isRightToLeft } from '../items/finish-item.js';
import { describeKept, MOST_ITEMS, newestItems } from '../items/newest-items.js';
import { namesOf, readPeople, type Person } from '../items/people.js';
import {
  NO_HINTS,
  type FeedDocument,
  type ParsedFeed,
  UnreadableDocument,
} from '../parsed-feed.js';
import { impliedBase, itemAddress, notOfOrigin, webAddress } from '../web-address.js';
import { words } from '../words.js';
import { repairJson } from './repair-json.js';

/**
 * Lists and objects per document. `JSON.parse` cannot be interrupted, so a document of brackets could
 * exceed the memory of a worker and end the whole process.
 */
const MOST_CONTAINERS = 500_000;

/** Properties of an item that are stored. */
const STORED = words(`
  id url external_url title content_html content_text summary date_published date_modified author authors
  attachments image banner_image`);

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads JSON Feed 1 and 1.1, of any declared version: a list of items makes a feed.
 *
 * @throws UnreadableDocument when it is no JSON or no feed
 */
export function readJsonFeed(
  text: string,
  {
    url: documentUrl,
    ownOrigin = null,
    rule = 'automatic',
  }: Pick<FeedDocument, 'url' | 'ownOrigin' | 'rule'>,
): ParsedFeed {
  const { feed, isCut } = parse(text);
  const items = itemsOf(feed);
  if (items === null) {
    throw new UnreadableDocument('The document is not a feed: it is JSON without a list of items.');
  }
  const author = authorsOf(feed);
  const language = textOf(feed['language']);
  const listed = items.filter(isObject);
  const kept = listed.length > MOST_ITEMS ? newestItems(listed.map(publishedAt)) : null;
  const link = webAddress(textOf(feed['home_page_url']), documentUrl);
  const context = { author, language, documentUrl: impliedBase(link, documentUrl), ownOrigin };
  const drafts = listed
    .filter((_, position) => kept?.has(position) ?? true)
    .map((item) => draftOf(item, context));
  const [hub] = listOf(feed['hubs']).map((entry) => webAddress(textOf(entry['url']), documentUrl));
  return {
    title: titleOf(feed) ?? '',
    link,
    iconUrl:
      webAddress(textOf(feed['icon']), documentUrl) ??
      webAddress(textOf(feed['favicon']), documentUrl),
    items: finishItems(drafts, { rule, addresses: [link, documentUrl] }),
    publishing: {
      ...NO_HINTS,
      hubUrl: hub ?? null,
      selfUrl: webAddress(textOf(feed['feed_url']), documentUrl),
    },
    warning: warningAbout(listed.length, isCut),
    cut: isCut,
  };
}

function warningAbout(items: number, isCut: boolean): string | null {
  const cut = isCut
    ? 'The document ends before it is complete; what it ends inside of was left out.'
    : null;
  return [cut, describeKept(items)].filter((text) => text !== null).join(' ') || null;
}

interface JsonContext {
  readonly author: string | null;
  readonly language: string | null;
  readonly documentUrl: string;
  readonly ownOrigin: string | null;
}

function draftOf(item: JsonObject, context: JsonContext): ItemDraft {
  const { documentUrl, ownOrigin } = context;
  const guid = textOf(item['id']);
  const attachments = attachmentsOf(item, documentUrl);
  const url =
    itemAddress(textOf(item['url']), documentUrl) ??
    itemAddress(textOf(item['external_url']), documentUrl) ??
    (guid && /^https?:\/\//i.test(guid) ? webAddress(guid, documentUrl) : null);
  return {
    guid,
    url,
    title: titleOf(item),
    author: authorsOf(item) ?? context.author,
    pubDateSeconds: publishedAt(item),
    updatedDateSeconds: dateOf(item['date_modified']),
    html: htmlOf(item),
    shownHtml: textOf(item['content_html']) ?? htmlOfText(plainTextOf(item)),
    base: url?.startsWith('http') ? url : documentUrl,
    ownOrigin,
    ...chooseEnclosures(attachments),
    extras: extrasOf(
      attachments.filter((offer) => notOfOrigin(offer.url, ownOrigin) !== null),
      {
        comments: null,
        chapters: null,
        duration: textOf(listOf(item['attachments'])[0]?.['duration_in_seconds']),
        tags: tagsOf(item),
      },
    ),
    mediaThumbnail: notOfOrigin(
      webAddress(textOf(item['image']), documentUrl) ??
        webAddress(textOf(item['banner_image']), documentUrl),
      ownOrigin,
    ),
    mediaDescription: null,
    rtl: isRightToLeft(null, textOf(item['language']), context.language),
    isEmpty: !STORED.some((name) => isWritten(item[name])),
  };
}

function parse(text: string): { readonly feed: JsonObject; readonly isCut: boolean } {
  if (!hasContainersUpTo(text, MOST_CONTAINERS)) {
    throw new UnreadableDocument('The document is not a feed: its JSON holds too many values.');
  }
  const whole = parsedOrNull(text);
  if (whole) {
    return { feed: whole, isCut: false };
  }
  const repaired = repairJson(text);
  const feed = parsedOrNull(repaired.text);
  if (feed === null) {
    throw new UnreadableDocument('The document is not a feed: it begins like JSON but is damaged.');
  }
  return { feed, isCut: repaired.isCut };
}

function parsedOrNull(text: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return null;
  }
}

/** Some software writes null for an empty list. */
function itemsOf(feed: JsonObject): readonly unknown[] | null {
  const items = feed['items'];
  if (Array.isArray(items)) {
    return items;
  }
  return items === null && textOf(feed['version'])?.includes('jsonfeed.org/') ? [] : null;
}

function hasContainersUpTo(text: string, most: number): boolean {
  let containers = 0;
  let inText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      inText = !inText;
    } else if (inText && code === 0x5c) {
      i += 1;
    } else if (!inText && (code === 0x5b || code === 0x7b)) {
      containers += 1;
    }
  }
  return containers <= most;
}

function htmlOf(item: JsonObject): string {
  const html = textOf(item['content_html']);
  if (html !== null) {
    return html;
  }
  // Line ends in a JSON string are significant.
  return escapeHtml(plainTextOf(item)).replace(/\r\n?|\n/g, '<br>\n');
}

function plainTextOf(item: JsonObject): string {
  return textOf(item['content_text']) ?? textOf(item['summary']) ?? '';
}

/** Version 1.1 has a list of authors, version 1 a single one; some publishers mix them up. */
function authorsOf(holder: JsonObject): string | null {
  return namesOf(peopleOf(holder['authors'])) ?? namesOf(peopleOf(holder['author']));
}

/** Objects with a name, one or many, or bare names. */
function peopleOf(written: unknown): Person[] {
  const people: readonly unknown[] = Array.isArray(written)
    ? written.filter((person) => person !== null).slice(0, 100)
    : [written];
  return people.flatMap((person) =>
    readPeople(line(isObject(person) ? person['name'] : person) ?? ''),
  );
}

function attachmentsOf(item: JsonObject, base: string): MediaOffer[] {
  return listOf(item['attachments']).map((attachment) => ({
    url: webAddress(textOf(attachment['url']), base),
    type: textOf(attachment['mime_type']),
    medium: null,
    title: textOf(attachment['title']),
    length: textOf(attachment['size_in_bytes']),
  }));
}

function tagsOf(item: JsonObject): string[] {
  const written = item['tags'];
  const tags: readonly unknown[] = Array.isArray(written) ? written.slice(0, 100) : [];
  return tags.flatMap((tag) => textOf(tag) ?? []);
}

function titleOf(holder: JsonObject): string | null {
  const value = textOf(holder['title']);
  return value === null ? null : safeLineOf({ kind: 'unsaid', value }, LONGEST_TITLE);
}

function line(written: unknown): string | null {
  const value = textOf(written);
  return value === null ? null : lineOf({ kind: 'unsaid', value }, LONGEST_TITLE);
}

function publishedAt(item: JsonObject): number | null {
  return dateOf(item['date_published']) ?? dateOf(item['date_modified']);
}

function dateOf(written: unknown): number | null {
  return readDate(textOf(written));
}

/** Some publishers write numbers instead of strings. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') {
    return String(value);
  }
  if (typeof value !== 'string') {
    return null;
  }
  const text = withoutControls(value).trim();
  return text === '' ? null : text;
}

function isWritten(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value).length > 0;
  }
  return textOf(value) !== null;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject).slice(0, 100) : [];
}
