import { decodeXML } from 'entities';
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { MOST_ITEMS } from '../items/newest-items.js';
import {
  ATOM_NAMESPACES,
  ATTRIBUTES,
  FOREIGN,
  FRAME,
  isKnown,
  OF_PERSONS,
  PERSONS,
  PLAIN,
  prefixOfNamespace,
  PROSE,
  usualPrefix,
  type FeedShape,
} from './feed-vocabulary.js';

/** Limits; documents beyond them go through `repairXml`, which keeps only needed elements. */
const MOST_DEPTH = 32;
const MOST_CHILDREN = 200;
const MOST_ELEMENTS = 150_000;
const MOST_ATTRIBUTES = 64;

const NAME = /^[a-z_\u0080-\uffff][\w.:\u0080-\uffff-]{0,99}$/i;
const PREDEFINED_ENTITY = /^&(?:amp|lt|gt|quot|apos);/;
const CHARACTER_REFERENCE = /^&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));/i;

/** Prefixes that feedparser uses for the elements of a format without one. */
const PREFIXES_OF_FORMATS = new Set(['rss', 'atom', 'rdf']);

/** Text from here on does not go through sax, which copies it by characters. */
const LONG_TEXT = 200;

/** Around the number of a long text in its place; no document contains it. */
export const TEXT_MARK = '\u0002';

/** A document that feedparser reads as intended. */
export interface WellFormed {
  readonly shape: FeedShape;
  /** The document with a numbered mark in place of each long text. */
  readonly xml: string;
  /** The long texts, references decoded. */
  readonly texts: readonly string[];
}

/**
 * Whether feedparser reads a document as intended: RSS 0.9x and 2.0 or Atom,
 * well-formed, and without the few constructs of XML that feedparser gets wrong (`xml:base`, markup
 * in place of text, unusual prefixes). One pass, which also takes out the long texts; gives up at the first
 * deviation.
 *
 * @param text with `\n` as the only line end
 * @returns null for a document that has to go through `repairXml` first
 * @see docs/decisions/0026-reading-documents.md
 */
export function readWellFormed(text: string): WellFormed | null {
  return new WellFormedCheck(text).run();
}

interface OpenElement {
  readonly written: string;
  readonly name: string;
  children: number;
}

class WellFormedCheck implements TokenizerCallbacks {
  readonly #text: string;
  readonly #tokenizer: Tokenizer;
  readonly #open: OpenElement[] = [];
  readonly #prefixes = new Set(['xml', 'xmlns']);
  readonly #attributes = new Set<string>();
  #attribute = '';
  #value = '';
  #shape: FeedShape | null = null;
  #defaultNamespace = '';
  #elements = 0;
  #items = 0;
  #isDone = false;
  #isRefused = false;
  readonly #texts: string[] = [];
  readonly #pieces: string[] = [];
  /** End of what `pieces` hold. */
  #taken = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: false }, this);
  }

  run(): WellFormed | null {
    this.#tokenizer.write(this.#text);
    this.#tokenizer.end();
    if (this.#isRefused || !this.#isDone || this.#shape === null) {
      return null;
    }
    this.#pieces.push(this.#text.slice(this.#taken));
    return { shape: this.#shape, xml: this.#pieces.join(''), texts: this.#texts };
  }

  onopentagname(start: number, end: number): void {
    const written = this.#text.slice(start, end);
    const name = written.toLowerCase();
    this.#attributes.clear();
    this.#elements += 1;
    const isRight =
      NAME.test(written) &&
      !this.#isDone &&
      this.#open.length < MOST_DEPTH &&
      this.#elements <= MOST_ELEMENTS &&
      this.#mayBegin(name);
    if (!isRight) {
      this.#refuse();
    }
    this.#open.push({ written, name, children: 0 });
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#text.slice(start, end).toLowerCase();
    this.#value = '';
    const canonical = ATTRIBUTES.get(this.#attribute) ?? this.#attribute;
    const local = this.#attribute.slice(this.#attribute.indexOf(':') + 1);
    const isWrong =
      !NAME.test(this.#attribute) ||
      this.#attribute === 'base' ||
      this.#attribute === 'xml:base' ||
      this.#attributes.size >= MOST_ATTRIBUTES ||
      this.#attributes.has(canonical) ||
      // feedparser drops the prefix of a module that it knows.
      (canonical === this.#attribute && local !== canonical && ATTRIBUTES.has(local));
    if (isWrong) {
      this.#refuse();
    }
    this.#attributes.add(canonical);
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#text.slice(start, end);
  }

  onattribend(quote: QuoteType): void {
    const isQuoted = quote === QuoteType.Double || quote === QuoteType.Single;
    if (
      !isQuoted ||
      !isCharacterData(this.#value) ||
      !this.#isUsual(this.#attribute, this.#value)
    ) {
      this.#refuse();
    }
  }

  onopentagend(): void {
    const name = this.#open.at(-1)?.name ?? '';
    const prefix = name.slice(0, Math.max(0, name.indexOf(':')));
    const isUndeclared = prefix !== '' && !this.#prefixes.has(prefix);
    const isForeignFeed = name === 'feed' && !ATOM_NAMESPACES.has(this.#defaultNamespace);
    if (isUndeclared || isForeignFeed) {
      this.#refuse();
    }
  }

  onselfclosingtag(): void {
    this.onopentagend();
    this.#close();
  }

  onclosetag(start: number, end: number): void {
    const name = this.#text.slice(start, end);
    const isWhole = this.#text.startsWith('</', start - 2) && this.#text.charAt(end) === '>';
    if (!isWhole || this.#open.at(-1)?.written !== name) {
      this.#refuse();
    }
    this.#close();
  }

  ontext(start: number, end: number): void {
    const text = this.#text.slice(start, end);
    const isWrong = this.#open.length === 0 ? text.trim() !== '' : !isCharacterData(text);
    if (isWrong) {
      this.#refuse();
    } else if (end - start >= LONG_TEXT) {
      this.#takeOut(start, end, decodeXML(text));
    }
  }

  /** @param offset length of the part of `]]>` before `last` */
  oncdata(start: number, last: number, offset: number): void {
    const end = last - offset;
    const text = this.#text.slice(start, end);
    // A section within a section: the first one is probably unclosed.
    if (this.#open.length === 0 || text.includes('<![CDATA[')) {
      this.#refuse();
    } else if (end - start >= LONG_TEXT) {
      this.#takeOut(start, end, text);
    }
  }

  oncomment(start: number, end: number): void {
    const isWhole = this.#text.indexOf('--', start) === end - 2 && this.#text.charAt(end) === '>';
    // HTML ends a comment here, and publishers that write `<!-->` mean HTML.
    if (!isWhole || /^-?>/.test(this.#text.slice(start, start + 2))) {
      this.#refuse();
    }
  }

  ondeclaration(start: number, end: number): void {
    const declaration = this.#text.slice(start, end);
    const isType = /^doctype\s/i.test(declaration) && !/[[<]/.test(declaration);
    if (!isType || this.#elements > 0) {
      this.#refuse();
    }
  }

  onprocessinginstruction(): void {}
  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}

  #takeOut(start: number, end: number, text: string): void {
    // Blanks alone are no text.
    if (/\S/.test(text)) {
      const mark = `${TEXT_MARK}${this.#texts.push(text) - 1}${TEXT_MARK}`;
      this.#pieces.push(this.#text.slice(this.#taken, start), mark);
      this.#taken = end;
    }
  }

  #refuse(): void {
    this.#isRefused = true;
    this.#tokenizer.pause();
  }

  #close(): void {
    this.#open.pop();
    this.#isDone = this.#open.length === 0;
  }

  #mayBegin(name: string): boolean {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#shape = name === 'rss' ? 'rss' : 'atom';
      return name === 'rss' || name === 'feed';
    }
    if (FRAME.has(name.slice(name.indexOf(':') + 1)) || name === 'rdf:rdf') {
      return this.#mayBeginFrame(name, parent);
    }
    parent.children += 1;
    return parent.children <= MOST_CHILDREN && !isMarkup(name, parent.name);
  }

  /** Channel and items are valid in one place each. */
  #mayBeginFrame(name: string, parent: OpenElement): boolean {
    if (name === 'channel') {
      parent.children += 1;
      return parent.name === 'rss' && parent.children === 1;
    }
    this.#items += 1;
    const isInPlace =
      this.#shape === 'rss'
        ? name === 'item' && parent.name === 'channel'
        : name === 'entry' && parent.name === 'feed';
    return isInPlace && this.#items <= MOST_ITEMS;
  }

  #isUsual(attribute: string, value: string): boolean {
    if (attribute === 'type') {
      return !/xhtml|multipart/i.test(value);
    }
    if (attribute === 'xmlns') {
      this.#defaultNamespace = value;
      return this.#open.length === 1;
    }
    if (!attribute.startsWith('xmlns:')) {
      return true;
    }
    const prefix = attribute.slice(6);
    this.#prefixes.add(prefix);
    const usual = prefixOfNamespace(value);
    return usual === null
      ? !PREFIXES_OF_FORMATS.has(prefix) && [FOREIGN, prefix].includes(usualPrefix(prefix))
      : usual === prefix;
  }
}

/** Whether an element can only be markup in place of text. */
function isMarkup(name: string, parent: string): boolean {
  if (PERSONS.has(parent)) {
    return !OF_PERSONS.has(name) && (!name.includes(':') || isKnown(name));
  }
  return PROSE.has(parent) || PLAIN.has(parent);
}

/** Contains no characters that XML forbids, and no references unknown to feedparser. */
function isCharacterData(text: string): boolean {
  if (text.includes('<')) {
    return false;
  }
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    const reference = text.slice(at, at + 12);
    if (!PREDEFINED_ENTITY.test(reference) && !isCharacterReference(reference)) {
      return false;
    }
  }
  return true;
}

function isCharacterReference(text: string): boolean {
  const [, hex, decimal] = CHARACTER_REFERENCE.exec(text) ?? [];
  const code = hex === undefined ? Number(decimal ?? 0) : Number.parseInt(hex, 16);
  // Lower codes are controls and characters of windows-1252, higher ones surrogates and noncharacters.
  return code === 9 || code === 10 || (code >= 0x20 && code < 0x80) || isBeyondLatin(code);
}

function isBeyondLatin(code: number): boolean {
  return (
    (code >= 0xa0 && code < 0xd800) ||
    (code > 0xdfff && code < 0xfffe) ||
    (code > 0xffff && code <= 0x10ffff)
  );
}
