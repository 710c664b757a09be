import { Parser } from 'htmlparser2';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { decodeDocument } from '../feed-parser/charset/decode-document.js';
import { cutAt, onOneLine } from '../feed-parser/html/plain-text.js';
import { UnreadableDocument } from '../feed-parser/parsed-feed.js';
import { FEED_FILTERS, type FeedFilters } from '../reader/rules/foreign-rules.js';
import {
  foreignSettings,
  isReadBySelectors,
  LIST_OF_FEEDS,
  NEEDS_SELECTORS,
  type ForeignSettings,
} from './foreign-attributes.js';

/** The file cannot be imported, and nothing of it was; the message says why. */
export class UnreadableOpml extends UnreadableDocument {}

export const LARGEST_OPML_BYTES = 10 * 1024 * 1024;
const MOST_OPML_FEEDS = 5_000;

const MOST_FOLDERS = 1_000;
const DEEPEST = 50;
const MOST_RULE_CHARACTERS = 2_000_000;

const OWN_PREFIX = 'gatefold:';

/** Ours in the head, as JSON. */
const OWN_RULES = 'gatefold:rules';

const LONGEST_FOLDER_NAME = 255;
const LONGEST_TITLE = 1_000;

/** Parsed at a time: other requests wait only milliseconds. */
const SLICE_CHARACTERS = 64 * 1024;

/** A feed as the file names it. */
export interface OpmlFeed {
  /** As written; not necessarily a valid address. */
  readonly url: string;
  /** Null without a title in the file. */
  readonly title: string | null;
  /** Its folder, as `nameFolders` calls it; null is the root. */
  readonly folder: string | null;
  readonly line: number;
  /** Rules of other readers for it; absent without any. */
  readonly filters?: FeedFilters;
  /** Attributes of `own-attributes.ts`, with names in lower case without their prefix; absent without any. */
  readonly own?: Readonly<Record<string, string>>;
  /** Settings of other readers for it; absent without any. */
  readonly foreign?: ForeignSettings;
  /** Why it cannot be followed; absent for a feed. */
  readonly refusal?: string;
}

/** An entry of the file that could not be imported. */
export interface InvalidOpmlFeed {
  readonly title: string;
  readonly url: string;
  readonly reason: string;
  readonly line: number | null;
}

export interface OpmlDocument {
  readonly feeds: readonly OpmlFeed[];
  /** Names of folders without feeds. */
  readonly emptyFolders: readonly string[];
  /** A message, when the file is truncated; null otherwise. */
  readonly damage: string | null;
  /** Rules for the feeds, as JSON: ours, and each of tt-rss. */
  readonly rules: { readonly own: string | null; readonly ttRss: readonly string[] };
}

/** With the names of the folders around it, one a line, in place of its folder. */
type PlacedFeed = OpmlFeed & { readonly folder: string };

interface OpenOutline {
  /** Null for a feed, a link, or an outline without a name, none of which is a folder. */
  readonly folder: string | null;
  /** What it is with nothing in it: Flym writes folders as feeds without an address. */
  readonly whenEmpty: PlacedFeed | 'folder' | 'nothing';
  hasChildren: boolean;
}

/** Folders with nothing in them have no other attributes and types; notes, tasks and saved searches do. */
const OF_FOLDERS = /^(?:text|title|type|description|id|isopen|expanded|.*:.*)$/;
const TYPES_OF_FOLDERS = /^(?:folder|category|group)?$/;

/**
 * Parses OPML as other readers export it. Folders have one level, so a feed belongs to the nearest
 * enclosing outline, or else to its first category. Tolerates case of attributes, any character set, stray
 * `&`, a missing `type` and missing end tags. Ignores a DTD and never resolves its entities.
 *
 * @throws UnreadableOpml for a file that is not OPML or exceeds a limit
 */
export async function readOpml(bytes: Uint8Array): Promise<OpmlDocument> {
  if (bytes.length > LARGEST_OPML_BYTES) {
    throw new UnreadableOpml(`The file is larger than ${LARGEST_OPML_BYTES / 1024 / 1024} MiB.`);
  }
  const text = decodeDocument({ bytes, contentType: null, url: '' });
  const reading = new OpmlReading(text);
  const parser = new Parser(reading, {
    xmlMode: true,
    lowerCaseTags: true,
    lowerCaseAttributeNames: true,
  });
  for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
    parser.write(text.slice(at, at + SLICE_CHARACTERS));
    await yieldToOthers();
  }
  parser.end();
  return reading.finish();
}

/** Handles the parser's events and counts lines. */
class OpmlReading {
  readonly #feeds: PlacedFeed[] = [];
  readonly #emptyFolders: string[] = [];
  readonly #open: OpenOutline[] = [];
  readonly #text: string;
  #parser: Pick<Parser, 'startIndex'> = { startIndex: 0 };
  #root: string | null = null;
  #rootIsClosed = false;
  #depth = 0;
  #line = 1;
  #countedUpTo = 0;
  /** The text of the rule that is read. */
  #rule: string[] | null = null;
  #ruleCharacters = 0;
  #ownRules: string | null = null;
  readonly #ttRss: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  onparserinit(parser: Parser): void {
    this.#parser = parser;
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#root ??= name;
    this.#depth += 1;
    if (this.#depth > DEEPEST) {
      throw new UnreadableOpml(
        `The file is nested more than ${DEEPEST} levels deep in line ${this.#currentLine()}.`,
      );
    }
    if (name === OWN_RULES || Object.hasOwn(attributes, 'filter-type')) {
      this.#rule = [];
    }
    if (name === 'outline') {
      this.#open.push(this.#readOutline(attributes));
    }
  }

  ontext(text: string): void {
    if (this.#rule !== null && this.#ruleCharacters + text.length <= MOST_RULE_CHARACTERS) {
      this.#ruleCharacters += text.length;
      this.#rule.push(text);
    }
  }

  onclosetag(name: string, isImplied: boolean): void {
    this.#depth -= 1;
    if (this.#rule !== null && (name === OWN_RULES || name === 'outline')) {
      const json = this.#rule.join('').trim();
      if (name === OWN_RULES) {
        this.#ownRules = json;
      } else {
        this.#ttRss.push(json);
      }
      this.#rule = null;
    }
    if (name === 'opml') {
      this.#rootIsClosed = !isImplied;
    }
    const closed = name === 'outline' ? this.#open.pop() : undefined;
    if (closed === undefined || closed.hasChildren || closed.whenEmpty === 'nothing') {
      return;
    }
    if (closed.whenEmpty !== 'folder') {
      this.#add(closed.whenEmpty);
    } else if (this.#emptyFolders.length <= MOST_FOLDERS) {
      this.#emptyFolders.push(placeOf([...this.#open, closed]));
    }
  }

  finish(): OpmlDocument {
    if (this.#root === null) {
      const isBlank = this.#text.trim() === '';
      throw new UnreadableOpml(
        isBlank ? 'The file is empty.' : 'The file is not OPML: it holds no XML elements.',
      );
    }
    if (this.#root !== 'opml' && this.#root !== 'outline' && this.#feeds.length === 0) {
      throw new UnreadableOpml(notOpml(this.#root));
    }
    // A file without feeds is an outline of something else, such as tasks.
    const empty = this.#feeds.length === 0 ? [] : this.#emptyFolders;
    const withFeeds = new Set(this.#feeds.flatMap(({ folder }) => folder || []));
    this.#refuseTooMany('folders', Math.max(withFeeds.size, empty.length), MOST_FOLDERS);
    const names = nameFolders(new Set([...withFeeds, ...empty]));
    return {
      feeds: this.#feeds.map((feed) => ({ ...feed, folder: names.get(feed.folder) ?? null })),
      emptyFolders: [...names].flatMap(([place, name]) => (withFeeds.has(place) ? [] : [name])),
      damage:
        this.#root === 'opml' && !this.#rootIsClosed
          ? 'The file ends in the middle; what should come behind this line is missing.'
          : null,
      rules: { own: this.#ownRules, ttRss: this.#ttRss },
    };
  }

  #readOutline(attributes: Readonly<Record<string, string>>): OpenOutline {
    const parent = this.#open.at(-1);
    if (parent !== undefined) {
      parent.hasChildren = true;
    }
    const named = (name: string) =>
      Object.hasOwn(attributes, name) ? (attributes[name] ?? '').trim() : '';
    const label = onOneLine(named('text') || named('title'));
    const type = named('type').toLowerCase();
    const isOfFeed = /^(?:rss|atom|rdf|feed|json)/.test(type);
    const url = named('xmlurl') || (isOfFeed ? named('url') : '');

    const list = named('frss:opmlurl');
    if (list !== '') {
      const place = { title: label || null, folder: '', line: this.#currentLine() };
      this.#add({ url: list, ...place, refusal: LIST_OF_FEEDS });
    }
    const folder = cutAt(label, LONGEST_FOLDER_NAME).trim() || null;
    const leaf: OpenOutline = { folder: null, whenEmpty: 'nothing', hasChildren: false };

    // Liferea's search folders, and their rules; and those of tt-rss.
    if (
      type === 'vfolder' ||
      type === 'rule' ||
      /^tt-rss-(?!feeds)/.test(label) ||
      isOfTtRss(attributes)
    ) {
      return leaf;
    }
    if (url !== '' || isOfFeed) {
      const feed: PlacedFeed = {
        url: url.replace(/^feed:(?:\/\/(?!https?:))?(https?:)?/i, (_all, scheme?: string) =>
          scheme === undefined ? 'http://' : scheme,
        ),
        title: cutAt(label, LONGEST_TITLE) || null,
        folder: placeOf(this.#open) || firstCategory(named('category')),
        line: this.#currentLine(),
        ...foreignIn(attributes, type),
        ...ownIn(attributes),
      };
      if (url === '') {
        return { ...leaf, folder, whenEmpty: feed };
      }
      this.#add(feed);
      return leaf;
    }
    if (named('url') !== '' || named('htmlurl') !== '' || folder === null) {
      return leaf;
    }
    const isOfFolder =
      list === '' &&
      parent?.folder !== null &&
      TYPES_OF_FOLDERS.test(type) &&
      Object.keys(attributes).every((name) => OF_FOLDERS.test(name));
    return { ...leaf, folder, whenEmpty: isOfFolder ? 'folder' : 'nothing' };
  }

  #add(feed: PlacedFeed): void {
    this.#feeds.push(feed);
    this.#refuseTooMany('feeds', this.#feeds.length, MOST_OPML_FEEDS);
  }

  #refuseTooMany(what: string, count: number, most: number): void {
    if (count > most) {
      throw new UnreadableOpml(
        `The file holds more than ${most} ${what}; split it into several files.`,
      );
    }
  }

  /** Continues from its last call, so that the file is scanned once. */
  #currentLine(): number {
    const until = this.#parser.startIndex;
    for (;;) {
      const lineEnd = this.#text.indexOf('\n', this.#countedUpTo);
      if (lineEnd === -1 || lineEnd >= until) {
        return this.#line;
      }
      this.#line += 1;
      this.#countedUpTo = lineEnd + 1;
    }
  }
}

const isOfTtRss = (attributes: object) => Object.hasOwn(attributes, 'filter-type');

function foreignIn(
  attributes: Readonly<Record<string, string>>,
  type: string,
): Pick<OpmlFeed, 'filters' | 'foreign' | 'refusal'> {
  if (isReadBySelectors(type)) {
    return { refusal: NEEDS_SELECTORS };
  }
  const foreign = foreignSettings(attributes);
  const filters = FEED_FILTERS.flatMap((name) =>
    Object.hasOwn(attributes, name) ? [[name, attributes[name]]] : [],
  );
  return {
    ...(filters.length > 0 && { filters: Object.fromEntries(filters) as FeedFilters }),
    ...(foreign !== null && { foreign }),
  };
}

function ownIn(attributes: Readonly<Record<string, string>>): Pick<OpmlFeed, 'own'> {
  const own = Object.entries(attributes).flatMap(([name, value]) =>
    name.startsWith(OWN_PREFIX) ? [[name.slice(OWN_PREFIX.length), value]] : [],
  );
  return own.length === 0 ? {} : { own: Object.fromEntries(own) as Record<string, string> };
}

function placeOf(outlines: readonly OpenOutline[]): string {
  return outlines.flatMap(({ folder }) => folder ?? []).join('\n');
}

/** Of `Tech` or `/Tech/Linux,/World`. Tags of newsboat that begin with `!` and `~` are no folders. */
function firstCategory(categories: string): string {
  const first = categories.split(',').find((category) => /^\s*[^\s!~]/.test(category)) ?? '';
  const names = first.split('/').map((name) => cutAt(onOneLine(name), LONGEST_FOLDER_NAME).trim());
  return names.filter(Boolean).slice(-DEEPEST).join('\n');
}

/**
 * Folders have one level, and different ones must not become one: where several have one name, each is called by
 * those around it as well, `Tech / News`.
 */
function nameFolders(places: ReadonlySet<string>): Map<string, string> {
  const ownName = (place: string): string => place.slice(place.lastIndexOf('\n') + 1);
  const namesakes = Map.groupBy(places, ownName);
  const taken = new Set<string>();
  return new Map(
    [...places].map((place) => {
      const isOnly = namesakes.get(ownName(place))?.length === 1;
      const wanted = isOnly ? ownName(place) : place.replaceAll('\n', ' / ');
      let name = cutAt(wanted, LONGEST_FOLDER_NAME);
      for (let n = 2; taken.has(name); n += 1) {
        name = `${cutAt(wanted, LONGEST_FOLDER_NAME - 10)} (${n})`;
      }
      taken.add(name);
      return [place, name];
    }),
  );
}

function notOpml(root: string): string {
  switch (root) {
    case 'rss':
    case 'feed':
    case 'rdf:rdf':
      return 'This is a feed, not a list of feeds: subscribe to its address instead.';
    case 'html':
      return 'This is a web page, not an OPML file.';
    default:
      return `The file is not OPML: it begins with <${root.slice(0, 40)}>.`;
  }
}
