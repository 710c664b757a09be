import { Parser, type Handler } from 'htmlparser2';
import type { ImportedGuid } from '../imported-row.js';
import { flagOf } from './finish-row.js';
import {
  fieldsOf,
  isRecord,
  LONGEST_ROW,
  REASONS,
  rowOf,
  UnreadableImport,
  type Found,
  type FoundRow,
} from './found-row.js';
import { readJson } from './json-splitter.js';

/** Rows that a parser finds. */
interface MarkupReading extends Partial<Handler> {
  readonly found: Found[];
  /** At the end of the file. @returns whether it ends in the middle */
  finish(): boolean;
}

/** @throws UnreadableImport for markup that never ends */
export async function* markupRows(
  reading: MarkupReading,
  text: AsyncIterable<string>,
  xmlMode: boolean,
): AsyncGenerator<Found> {
  const parser = new Parser(reading, { xmlMode, lowerCaseTags: true, decodeEntities: true });
  let written = 0;
  let last = 0;
  for await (const piece of text) {
    parser.write(piece);
    written += piece.length;
    if (written - parser.endIndex > LONGEST_ROW * 2) {
      throw new UnreadableImport('The file has a piece of markup that does not end.');
    }
    last = reading.found.at(-1)?.at ?? last;
    yield* reading.found.splice(0);
  }
  parser.end();
  const isCut = reading.finish();
  last = reading.found.at(-1)?.at ?? last;
  yield* reading.found.splice(0);
  if (isCut) {
    yield { at: last + 1, reason: REASONS.cut };
  }
}

const TT_RSS_FIELDS = fieldsOf(`
      url=link title body=content published=updated starred=marked note feedUrl=feed_url
      feedTitle=feed_title`);

/** The export of tt-rss. Its last end tag is missing in one of 250 files that are whole. */
export class TtRssReading implements MarkupReading {
  readonly found: Found[] = [];
  #article: Map<string, string[]> | null = null;
  #texts: string[] | null = null;
  #length = 0;
  #number = 0;
  /** Of newer guids, which name it; older ones were hashed with it. */
  #userId: string | null = null;

  onopentag(name: string): void {
    if (name === 'article') {
      this.#article = new Map();
      this.#length = 0;
      this.#number += 1;
    } else if (this.#article !== null) {
      this.#texts = [];
      this.#article.set(name, this.#texts);
    }
  }

  ontext(text: string): void {
    this.#length += text.length;
    if (this.#length <= LONGEST_ROW) {
      this.#texts?.push(text);
    }
  }

  onclosetag(name: string, isImplied: boolean): void {
    this.#texts = null;
    if (name !== 'article' || this.#article === null || isImplied) {
      return;
    }
    const article = new Map([...this.#article].map(([field, texts]) => [field, texts.join('')]));
    this.#article = null;
    this.found.push(
      this.#length > LONGEST_ROW
        ? { at: this.#number, reason: REASONS.tooLong }
        : { at: this.#number, row: this.#rowOf(article) },
    );
  }

  finish(): boolean {
    return this.#article !== null;
  }

  #rowOf(article: ReadonlyMap<string, string>): FoundRow {
    const labels = readJson(article.get('label_cache') ?? '');
    return {
      ...rowOf(Object.fromEntries(article), TT_RSS_FIELDS),
      starred: flagOf(article.get('marked')),
      labels: Array.isArray(labels) ? labels.map((label: unknown) => Object(label)[1]) : [],
      hash: this.#guidOf(article.get('guid') ?? ''),
    };
  }

  #guidOf(written: string): ImportedGuid | null {
    const json = readJson(written);
    const hash = /^SHA1:([0-9a-f]{40})$/i.exec(String(isRecord(json) ? json['hash'] : written));
    if (hash?.[1] === undefined) {
      return written === '' ? null : { kind: 'plain', guid: written };
    }
    if (isRecord(json)) {
      this.#userId = String(json['uid']);
    }
    const userId = isRecord(json) ? null : this.#userId;
    return { kind: 'tt-rss', hash: hash[1].toLowerCase(), userId };
  }
}

/** Folders that browsers name, each in its language. */
const OF_BROWSER = /^(?:personal_toolbar_folder|unfiled_bookmarks_folder)$/;
const LONGEST_TEXT = 100_000;
const READING_LIST = 'com.apple.ReadingList';

/** Bookmarks of browsers and services, and the pages of Pocket, whose headings say what was read. */
export class BookmarksReading implements MarkupReading {
  readonly found: Found[] = [];
  readonly #isOfPocket: boolean;
  /** Null for one that is no label. */
  readonly #folders: (string | null)[] = [];
  #folder: string | null = null;
  #isFolderOfBrowser = false;
  #isArchive = false;
  #attributes: Readonly<Record<string, string>> | null = null;
  /** The element whose text is read. */
  #read = '';
  #text = '';
  #title = '';
  #note = '';
  #number = 0;
  #hasEnded = false;

  constructor(isOfPocket: boolean) {
    this.#isOfPocket = isOfPocket;
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    if (/^(?:a|h1|h3|dd|dt|dl|li)$/.test(name)) {
      this.#endText();
    }
    if (/^(?:a|h1|h3|dd)$/.test(name)) {
      this.#read = name;
    }
    if (/^(?:a|h1|h3)$/.test(name)) {
      this.#endRow();
    }
    if (name === 'a') {
      this.#attributes = attributes;
      this.#number += 1;
    } else if (name === 'h3') {
      this.#isFolderOfBrowser = Object.keys(attributes).some((key) => OF_BROWSER.test(key));
    } else if (name === 'dl') {
      this.#folders.push(this.#folder);
      this.#folder = null;
    }
  }

  ontext(text: string): void {
    if (this.#read !== '' && this.#text.length < LONGEST_TEXT) {
      this.#text += text;
    }
  }

  onclosetag(name: string, isImplied: boolean): void {
    if (name === this.#read || name === 'dl') {
      this.#endText();
    }
    if (name === 'dl') {
      this.#endRow();
      this.#folders.pop();
    }
    const isEnd = name === 'html' || (name === 'dl' && this.#folders.length === 0);
    this.#hasEnded ||= isEnd && !isImplied;
  }

  finish(): boolean {
    this.#endText();
    this.#endRow();
    return !this.#hasEnded;
  }

  #endText(): void {
    const text = this.#text;
    switch (this.#read) {
      case 'a':
        this.#title = text;
        break;
      case 'h1':
        this.#isArchive = /archive/i.test(text);
        break;
      case 'h3':
        this.#folder = this.#isFolderOfBrowser ? null : text.trim().slice(0, 255);
        break;
      case 'dd':
        this.#note = text;
        break;
    }
    this.#read = '';
    this.#text = '';
  }

  #endRow(): void {
    const attributes = this.#attributes;
    if (attributes === null) {
      return;
    }
    const isToRead = flagOf(attributes['toread']) ?? this.#folders.includes(READING_LIST);
    const folders = this.#folders.filter((it) => it !== null && it !== READING_LIST);
    const row: FoundRow = {
      url: attributes['href'],
      title: this.#title,
      saved: attributes['time_added'] ?? attributes['add_date'],
      read: this.#isOfPocket ? this.#isArchive : !isToRead,
      labels: [...(attributes['tags'] ?? '').split(','), folders.join('/')],
      note: this.#note,
    };
    this.found.push({ at: this.#number, row });
    this.#attributes = null;
    this.#title = '';
    this.#note = '';
  }
}
