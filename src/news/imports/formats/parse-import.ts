import { LARGEST_OPML_BYTES } from '../../opml/read-opml.js';
import type { ImportedRow, NamedFeed } from '../imported-row.js';
import type { Omissions } from '../imports.entities.js';
import { omissionsOf } from '../omissions.js';
import { finishRow } from './finish-row.js';
import {
  isRecord,
  REASONS,
  UnreadableImport,
  type FormatName,
  type Found,
  type Raw,
} from './found-row.js';
import { articlesOfGatefold, readArticles } from './gatefold.js';
import { ImportFile } from './import-file.js';
import { JSON_FORMATS, jsonRows, type Envelope } from './json-formats.js';
import { jsonFound } from './json-found.js';
import { JsonSplitter, readJson, UNKNOWN_JSON } from './json-splitter.js';
import { BookmarksReading, markupRows, TtRssReading } from './markup.js';
import { withTextsOfOmnivore } from './omnivore.js';
import { tableOf, tableRows } from './tables.js';
import { openZip, type ZipContents } from './zip-contents.js';

export interface ImportLimits {
  /** Rows of a file, those left out included. */
  readonly mostRows: number;
  /** Of what a zip or gzip holds. */
  readonly mostUnpackedBytes: number;
}

/** What a file has beside its rows. */
export interface ImportSummary {
  /** What is left out, or not taken whole. */
  readonly leftOut: Omissions;
  readonly feeds: readonly NamedFeed[];
  /** OPML files, for the import of OPML. */
  readonly opml: readonly Uint8Array[];
}

/** Read in memory. */
const LARGEST_INNER_ZIP_BYTES = 64 * 1024 ** 2;
const MOST_IN_BATCH = 200;
const MOST_CHARACTERS_IN_BATCH = 1024 ** 2;
const MOST_NAMED_FEEDS = 5_000;
const MOST_OPML_FILES = 10;

/** A part of a file: its format with its rows, or an OPML file. */
interface Part {
  readonly format: FormatName;
  readonly found?: AsyncIterable<Found>;
  readonly feeds?: readonly NamedFeed[];
}

/** Reads one file that a person brings from another program. */
export class ImportParsing {
  readonly #limits: ImportLimits;
  readonly #omissions = omissionsOf({ reasons: [], places: [] });
  readonly #feeds: NamedFeed[] = [];
  readonly #opml: Uint8Array[] = [];
  #count = 0;
  #format: FormatName | null = null;

  constructor(limits: ImportLimits) {
    this.#limits = limits;
  }

  /** Known with the first batch of rows. */
  get format(): FormatName | null {
    return this.#format;
  }

  /** At the end of the rows. */
  get summary(): ImportSummary {
    return { leftOut: this.#omissions.all(), feeds: this.#feeds, opml: this.#opml };
  }

  /**
   * @returns batches of rows; an empty one where there are none
   * @throws UnreadableImport for a file that is none of the formats, or exceeds a limit
   */
  async *rows(path: string): AsyncGenerator<readonly ImportedRow[]> {
    const file = ImportFile.onDisk(path);
    const head = await file.head();
    if (!isZip(head)) {
      yield* this.#rowsOf(file, head, null);
    } else {
      const zip = await openZip(path, this.#limits.mostUnpackedBytes);
      try {
        yield* this.#rowsOfZip(zip, true);
      } finally {
        zip.close();
      }
      if (this.#format === null) {
        const { reasons } = this.#omissions.all();
        const [{ reason } = { reason: 'The zip is empty.' }] = reasons;
        const isOne = reasons.length <= 1;
        throw new UnreadableImport(isOne ? reason : 'Nothing in the zip can be imported.');
      }
    }
  }

  async *#rowsOfZip(zip: ZipContents, isOuter: boolean): AsyncGenerator<readonly ImportedRow[]> {
    if (zip.isOfGatefold) {
      this.#format = 'gatefold';
      yield [];
      yield* this.#rowsOfGatefold(zip);
      return;
    }
    for (const { name, reason } of zip.refused) {
      this.#omissions.tell(name, reason);
    }
    let hasOmnivore = false;
    const texts: ImportFile[] = [];
    for (const file of zip.files) {
      if (/(?:^|\/)(?:content|highlights)\/[^/]+$/.test(file.name)) {
        texts.push(file);
        continue;
      }
      const head = await file.head();
      const inner = isZip(head) && isOuter ? await file.whole(LARGEST_INNER_ZIP_BYTES) : null;
      try {
        if (inner !== null) {
          const contents = await openZip(inner, this.#limits.mostUnpackedBytes);
          yield* this.#rowsOfZip(contents, false);
        } else if (isZip(head)) {
          this.#omissions.tell(
            file.name,
            isOuter ? 'It is too large.' : 'It is a zip in a zip in a zip.',
          );
        } else {
          yield* this.#rowsOf(file, head, zip);
        }
      } catch (error) {
        if (!(error instanceof UnreadableImport) || this.#count > this.#limits.mostRows) {
          throw error;
        }
        this.#omissions.tell(file.name, error.message);
      }
      hasOmnivore ||= this.#format === 'omnivore';
    }
    if (!hasOmnivore) {
      texts.forEach((file) => this.#omissions.tell(file.name, NO_FORMAT));
    }
  }

  /** The feeds and articles of an account; what it has besides is taken in afterwards. */
  async *#rowsOfGatefold({ files }: ZipContents): AsyncGenerator<readonly ImportedRow[]> {
    const named = new Map(files.map((file) => [file.name, file]));
    const list = named.get('subscriptions.opml');
    if (list !== undefined) {
      await this.#keepOpml(list);
    }
    for (const name of ['starred.json', 'labelled.json', 'saved.json']) {
      const file = named.get(name);
      if (file !== undefined) {
        yield* this.#finished(file, articlesOfGatefold(file));
      }
    }
    const states = named.get('read.ndjson');
    if (states !== undefined) {
      const most = this.#limits.mostRows - this.#count;
      for await (const rows of this.#finished(states, readArticles(states, most))) {
        yield rows.map((row) => ({ ...row, isStateOnly: true as const }));
      }
    }
  }

  async *#rowsOf(
    packed: ImportFile,
    packedHead: Buffer,
    zip: ZipContents | null,
  ): AsyncGenerator<readonly ImportedRow[]> {
    const isPacked = packedHead[0] === 0x1f && packedHead[1] === 0x8b;
    const file = isPacked ? packed.unpacked(this.#limits.mostUnpackedBytes) : packed;
    const head = isPacked ? await file.head() : packedHead;
    const part = await this.#partOf(file, head, zip);
    this.#feeds.push(...(part.feeds ?? []).slice(0, MOST_NAMED_FEEDS - this.#feeds.length));
    if (part.found === undefined) {
      this.#format ??= part.format;
      // Other files of the zip may have rows.
      yield* zip === null ? [[]] : [];
      return;
    }
    if (this.#format === null || this.#format === 'opml') {
      this.#format = part.format;
    }
    yield* this.#finished(file, part.found);
  }

  async *#finished(
    file: ImportFile,
    found: AsyncIterable<Found>,
  ): AsyncGenerator<readonly ImportedRow[]> {
    let batch: ImportedRow[] = [];
    let characters = 0;
    let last = 0;
    let isCutTold = false;
    for await (const one of found) {
      last = one.at;
      this.#count += 1;
      if (this.#count > this.#limits.mostRows) {
        const most = this.#limits.mostRows;
        throw new UnreadableImport(`The file holds more than ${most} articles; split it.`);
      }
      const place = (title?: unknown) =>
        [file.name, `${one.at}${typeof title === 'string' && title ? `: ${title}` : ''}`]
          .filter(Boolean)
          .join(' ');
      if ('reason' in one) {
        isCutTold ||= one.reason === REASONS.cut;
        this.#omissions.tell(place(), one.reason);
        continue;
      }
      const name = one.row.title ?? one.row.url;
      const row = finishRow(one.row, (reason) => this.#omissions.tell(place(name), reason));
      if (typeof row === 'string') {
        this.#omissions.tell(place(name), row);
        continue;
      }
      batch.push(row);
      characters += row.body?.length ?? 0;
      if (batch.length >= MOST_IN_BATCH || characters > MOST_CHARACTERS_IN_BATCH) {
        yield batch;
        batch = [];
        characters = 0;
      }
    }
    if (file.isDamaged && !isCutTold) {
      this.#omissions.tell(`${file.name} ${last + 1}`.trim(), REASONS.cut);
    }
    yield batch;
  }

  async #partOf(file: ImportFile, head: Buffer, zip: ZipContents | null): Promise<Part> {
    refuseBinary(head);
    const charset = await file.charset(head);
    const beginning = await beginningOf(file.text(charset));
    if (/^[{[]/.test(beginning)) {
      return jsonPart(file, charset, zip);
    }
    const markup = beginning.slice(0, MARKUP_CHARACTERS);
    if (/<articles[\s>]/i.test(markup) && /<article[\s>]/.test(beginning)) {
      const found = markupRows(new TtRssReading(), file.text(charset), true);
      return { format: 'tt-rss', found };
    }
    if (/^<!doctype netscape-bookmark-file-1/im.test(markup)) {
      const found = markupRows(new BookmarksReading(false), file.text(charset), false);
      return { format: 'bookmarks', found };
    }
    if (/<title>\s*Pocket Export/i.test(markup)) {
      const found = markupRows(new BookmarksReading(true), file.text(charset), false);
      return { format: 'pocket', found };
    }
    if (/<opml[\s>]/i.test(markup)) {
      await this.#keepOpml(file);
      return { format: 'opml' };
    }
    const table = tableOf(beginning);
    if (table === null) {
      throw new UnreadableImport(sentenceFor(markup));
    }
    return { format: table.format.name, found: tableRows(table, file.text(charset)) };
  }

  async #keepOpml(file: ImportFile): Promise<void> {
    const bytes = await file.whole(LARGEST_OPML_BYTES);
    if (bytes === null || this.#opml.length >= MOST_OPML_FILES) {
      throw new UnreadableImport('The OPML is too large, or one of too many.');
    }
    this.#opml.push(bytes);
  }
}

const NO_FORMAT = 'The file is of no program whose files Gatefold can read.';
const NOTHING = 'There is nothing in the file.';
const MARKUP_CHARACTERS = 4_096;
const BEGINNING_CHARACTERS = 64 * 1024;

const isZip = (head: Buffer) => ['504b0304', '504b0506'].includes(head.toString('hex', 0, 4));

/** What people take for their articles, by its first bytes. */
const BINARY: readonly (readonly [start: RegExp, sentence: string])[] = [
  [/^$/, NOTHING],
  [/^%PDF/, 'This is a PDF, not a file with articles.'],
  [/^(?:\x89PNG|\xFF\xD8\xFF|GIF8|RIFF....WEBP)/s, 'This is a picture, not a file with articles.'],
  [
    /^SQLite format 3\0/,
    'This is a database. Take the articles out of it as JSON, with sqlite3 and ".mode json".',
  ],
];

function refuseBinary(head: Buffer): void {
  const start = head.toString('latin1', 0, 16);
  const known = BINARY.find(([pattern]) => pattern.test(start));
  if (known !== undefined) {
    throw new UnreadableImport(known[1]);
  }
}

/** Without the byte order mark and blanks before it. */
async function beginningOf(text: AsyncIterable<string>): Promise<string> {
  let beginning = '';
  for await (const piece of text) {
    beginning = (beginning + piece).trimStart();
    if (beginning.length >= BEGINNING_CHARACTERS) {
      break;
    }
  }
  return beginning;
}

function sentenceFor(markup: string): string {
  if (markup === '') {
    return NOTHING;
  }
  if (/<(?:rss|feed|rdf:RDF)[\s>]/.test(markup)) {
    return 'This is a feed: subscribe to its address instead.';
  }
  return /<html[\s>]/i.test(markup) ? 'This is a web page, not a file with articles.' : NO_FORMAT;
}

/** Reads the file once for what is around its rows, and then again for the rows. */
async function jsonPart(file: ImportFile, charset: string, zip: ZipContents | null): Promise<Part> {
  let first: Raw | null = null;
  let isEmpty = true;
  const looking = new JsonSplitter((text) => {
    isEmpty = false;
    const row = first === null && text !== null ? readJson(text) : null;
    first ??= isRecord(row) ? row : null;
  });
  for await (const piece of file.text(charset)) {
    looking.write(piece);
  }
  const { envelope: text, isCut } = looking.end();
  const envelope = readJson(text);
  if (Array.isArray(envelope) && isEmpty) {
    throw new UnreadableImport(isCut ? REASONS.cut : NOTHING);
  }
  if (String(isRecord(envelope) && envelope['version']).includes('jsonfeed.org')) {
    throw new UnreadableImport(sentenceFor('<feed>'));
  }
  const isEnvelope = isRecord(envelope) || Array.isArray(envelope);
  const format = isEnvelope && JSON_FORMATS.find(({ isOf }) => isOf(envelope as Envelope, first));
  if (!format) {
    throw new UnreadableImport(isCut && first === null ? REASONS.cut : UNKNOWN_JSON);
  }
  const rows = jsonFound(file.text(charset), jsonRows(format, envelope as Envelope), {
    isCut,
    hasRest: looking.hasRest,
  });
  return {
    format: format.name,
    found: format.name === 'omnivore' && zip !== null ? withTextsOfOmnivore(rows, zip) : rows,
    feeds: format.feeds?.(envelope as Envelope) ?? [],
  };
}
