import { decodeReferences, escapeAttribute } from '../html/character-references.js';
import { TagScanner, type StartTag } from '../html/tag-scanner.js';
import { describeKept, MOST_ITEMS, newestItems } from '../items/newest-items.js';
import { UnreadableDocument } from '../parsed-feed.js';
import { ProseCapture, isInlineMarkup, valueOfMarkup } from './capture-prose.js';
import {
  ATOM_NAMESPACE,
  ATTRIBUTES,
  CORE,
  FOREIGN,
  FRAME,
  isKnown,
  OF_PERSONS,
  PERSONS,
  PLAIN,
  prefixOfNamespace,
  PROSE,
  STRUCTURE,
  usualPrefix,
  type FeedShape,
  declareNamespaces,
  lookUp,
  withPlainAttributes,
  isKnownAttribute,
  type NamespaceScope,
} from './feed-vocabulary.js';
import { InternalEntities } from './internal-entities.js';
import { ItemDates } from './item-dates.js';

interface RepairedXml {
  /** Well-formed XML that has only the names of feed-vocabulary.ts. */
  readonly xml: string;
  readonly shape: FeedShape;
  /** A sentence about omitted parts; null when there are none. */
  readonly damage: string | null;
  /** The document ends before its outermost element does. */
  readonly isCut: boolean;
}

/**
 * Splits a literal `]]>` inside a CDATA section. Decoded documents never contain this character, so
 * `XmlNode.text` can remove it.
 */
export const CDATA_GUARD = '\u0001';

/** Nesting limit; deeper elements are skipped. */
const DEEPEST = 256;

/**
 * Elements of one kind that are kept per parent, and elements per document. The first of its kind in a parent has
 * as many places again, so that no list displaces the titles and links behind it.
 */
const MOST_OF_A_KIND = 200;
const MOST_ELEMENTS = 150_000;

const CUT = 'The document ends before it is complete; what it ends inside of was left out.';
const WEB_PAGE = 'The document is not a feed: it is a web page.';

interface OpenElement {
  /** As written, in lower case. */
  readonly name: string;
  /** Canonical name; null when the element is removed. */
  readonly emitted: string | null;
  /** Markup around a plain value: its text belongs to the parent. */
  readonly isInline: boolean;
  /** Omits the element's content too, except for whole items. */
  readonly muted: boolean;
  readonly scope: NamespaceScope | null;
  readonly base: string;
  /** Length of the output before it. */
  readonly outputBefore: number;
  /** For an omitted item: the number of elements before it, to roll back to. */
  readonly dropsBackTo: number | null;
  /** Child elements kept, by kind; null for none. */
  children: Map<string, number> | null;
}

/**
 * Rewrites a document that `readWellFormed` refuses as a small well-formed one with the same meaning:
 * no document type, canonical names, markup inside text elements escaped, `xml:base` resolved. One pass
 * without backtracking; two more if the document lists more items than are kept, to find the newest.
 *
 * @throws UnreadableDocument when it is not a feed
 */
export function repairXml(text: string, documentUrl: string): RepairedXml {
  const first = new XmlRepair(text, documentUrl);
  const prepared = first.run();
  if (first.listedItems <= MOST_ITEMS) {
    return prepared;
  }
  const dates = new ItemDates();
  new XmlRepair(text, documentUrl, { kept: new Set(), dates }).run();
  return new XmlRepair(text, documentUrl, { kept: newestItems(dates.found) }).run();
}

interface ItemChoice {
  /** Positions of the items to keep; null for all up to the limit. */
  readonly kept: ReadonlySet<number> | null;
  readonly dates?: ItemDates;
}

class XmlRepair {
  readonly #text: string;
  readonly #documentUrl: string;
  readonly #scanner: TagScanner;
  readonly #entities = new InternalEntities();
  readonly #output: string[] = [];
  readonly #open: OpenElement[] = [];
  readonly #openCounts = new Map<string, number>();
  /** Open elements that are nested too deeply, by name. */
  readonly #skipped = new Map<string, number>();
  #shape: FeedShape | null = null;
  readonly #coreNamespaces = new Set<string | null>();
  #firstElement: string | null = null;
  #finished = false;
  /** Whether it can only be a feed: `rdf` and `channel` are elements of other documents, too. */
  #isCertain = false;
  #items = 0;
  #elements = 0;
  #damage: string | null = null;
  /** Length of the output that is valid even if the document is cut; null for all. */
  #believed: number | null = null;

  readonly #kept: ReadonlySet<number> | null;
  readonly #dates: ItemDates | null;

  constructor(text: string, documentUrl: string, { kept, dates }: ItemChoice = { kept: null }) {
    this.#text = text;
    this.#documentUrl = documentUrl;
    this.#kept = kept;
    this.#dates = dates ?? null;
    this.#scanner = new TagScanner(text, isKnownAttribute);
  }

  /** Items in the document, kept or not. Valid after `run`. */
  get listedItems(): number {
    return this.#items;
  }

  run(): RepairedXml {
    let at = 0;
    while (at < this.#text.length && !this.#finished) {
      at = this.#step(at);
    }
    const isFeed = this.#items > 0 || (this.#isCertain && this.#firstElement !== 'html');
    if (!this.#shape || !isFeed) {
      throw new UnreadableDocument(whyNoFeed(this.#text, this.#firstElement));
    }
    const isCut = !this.#finished;
    if (isCut) {
      this.#damage = CUT;
      this.#dropUnfinished();
      while (this.#open.length > 0) {
        this.#closeLast();
      }
    }
    const damage = [this.#damage, describeKept(this.#items)]
      .filter((text) => text !== null)
      .join(' ');
    return { xml: this.#output.join(''), shape: this.#shape, damage: damage || null, isCut };
  }

  /** Discards the output of unfinished elements: a cut value means something else than the whole one. */
  #dropUnfinished(): void {
    const frames = this.#open.findIndex(({ emitted }) => emitted !== null && emitted !== 'root');
    if (frames !== -1) {
      this.#believeUpTo(this.#open[frames]?.outputBefore ?? 0);
      this.#open.length = frames;
    }
    this.#output.length = Math.min(this.#output.length, this.#believed ?? this.#output.length);
  }

  /** If the document turns out to be cut, output from here on is discarded. */
  #believeUpTo(outputBefore: number): void {
    const item = this.#open.find(({ emitted }) => emitted === this.#itemName);
    this.#believed ??= Math.min(outputBefore, item?.outputBefore ?? outputBefore);
  }

  #step(at: number): number {
    const text = this.#text;
    const scanner = this.#scanner;
    const tag = scanner.find('<', at);
    if (tag === -1) {
      this.#writeText(text.slice(at));
      return text.length;
    }
    if (tag > at) {
      this.#writeText(text.slice(at, tag));
    }
    const next = text.charAt(tag + 1);
    if (next === '/') {
      const { name, end } = scanner.endTag(tag);
      this.#close(name);
      return end;
    }
    if (next === '!' || next === '?') {
      return this.#readDeclaration(tag);
    }
    if (scanner.startsNameAt(tag + 1)) {
      return this.#openElement(tag);
    }
    const end = scanner.endOfLoneLess(tag);
    this.#writeCharacters(text.slice(tag, end));
    return end;
  }

  #readDeclaration(at: number): number {
    const text = this.#text;
    if (this.#scanner.isUnended(at)) {
      this.#believeUpTo(this.#output.length);
    }
    if (this.#scanner.startsCdataAt(at)) {
      const { characters, next } = this.#scanner.cdataEnd(at, this.#open.at(-1)?.name ?? '');
      this.#writeCharacters(text.slice(at + 9, characters));
      return next;
    }
    if (/^<!doctype/i.test(text.slice(at, at + 10))) {
      return this.#entities.readDocumentType(this.#scanner, at);
    }
    return this.#scanner.declarationEnd(at);
  }

  #openElement(at: number): number {
    const written = this.#scanner.startTag(at);
    const { name, end } = written;
    if (!written.complete) {
      return end;
    }
    if (this.#firstElement === null && name === 'html') {
      this.#firstElement = name;
      return feedWithin(this.#text, end);
    }
    this.#firstElement ??= name;
    if (this.#open.length >= DEEPEST && FRAME.has(name)) {
      this.#leaveDepths();
    }
    if (this.#open.length >= DEEPEST) {
      if (!written.selfClosing) {
        this.#skipped.set(name, (this.#skipped.get(name) ?? 0) + 1);
      }
      this.#damage ??= `Elements nested deeper than ${DEEPEST} levels were left out.`;
      return end;
    }
    const parent = this.#open.at(-1) ?? null;
    const scope = declareNamespaces(written, parent?.scope ?? null);
    const tag = withPlainAttributes(written, scope);
    if (!this.#shape && !this.#openRoot(tag, scope)) {
      return end;
    }
    if (this.#open.length === 0) {
      this.#push(tag, {
        emitted: 'root',
        muted: false,
        scope,
        base: this.#baseOf(tag, this.#documentUrl),
      });
      return tag.end;
    }
    return this.#openWithin(tag, scope);
  }

  /** @returns false if this is no feed element; one may still follow inside it */
  #openRoot(tag: StartTag, scope: NamespaceScope | null): boolean {
    const colon = tag.name.indexOf(':');
    const local = tag.name.slice(colon + 1);
    const isRss = local === 'rss' || local === 'rdf' || local === 'channel';
    if (!isRss && local !== 'feed') {
      return false;
    }
    this.#shape = isRss ? 'rss' : 'atom';
    this.#isCertain = local === 'rss' || local === 'feed';
    this.#coreNamespaces.add(lookUp(scope, colon === -1 ? '' : tag.name.slice(0, colon)));
    this.#output.push(isRss ? '<rss version="2.0"' : `<feed xmlns="${ATOM_NAMESPACE}"`);
    for (const prefix of FOREIGN_PREFIXES) {
      this.#output.push(` xmlns:${prefix}="urn:gatefold:${prefix}"`);
    }
    this.#output.push('>');
    if (isRss) {
      this.#output.push('<channel>');
    }
    this.#writeFrame(tag, this.#baseOf(tag, this.#documentUrl));
    return true;
  }

  /** Language, direction and base of the whole feed. */
  #writeFrame(tag: StartTag, base: string): void {
    const attributes = this.#attributesOf(tag, base);
    if (attributes !== '') {
      this.#output.push(`<root${attributes}/>`);
    }
  }

  #openWithin(tag: StartTag, scope: NamespaceScope | null): number {
    let name = this.#canonicalName(tag.name, scope);
    const isItem = name === 'item' || name === 'entry';
    if (isItem) {
      name = this.#itemName;
      this.#closeUnclosedItem();
    }
    const value = this.#open.at(-1);
    if (takesMarkup(value) && !isItem && !isKnown(name) && isInlineMarkup(name, tag)) {
      return this.#openMarkup(tag, value, scope);
    }
    while (isLeftOpen(this.#open.at(-1), name)) {
      this.#closeLast();
    }
    const parent = this.#open.at(-1);
    const base = this.#baseOf(tag, parent?.base ?? this.#documentUrl);
    // In RSS a nested channel is transparent: items count at any depth.
    const isTransparent = this.#shape === 'rss' && name === 'channel' && !parent?.muted;
    if (isTransparent) {
      this.#writeFrame(tag, base);
      this.#push(tag, { emitted: 'root', muted: false, scope, base });
      return tag.end;
    }
    const dropsBackTo = isItem && !this.#keepsNextItem() ? this.#elements : null;
    if (!isItem && !this.#isWanted(name, tag, parent)) {
      this.#push(tag, { emitted: null, muted: true, scope, base });
      return tag.end;
    }
    if (PROSE.has(name) && !tag.selfClosing && !holdsAlternatives(tag)) {
      return this.#captureProse(tag, name, scope, base);
    }
    const outputBefore = this.#output.length;
    this.#output.push(`<${name}${this.#attributesOf(tag, base)}>`);
    this.#push(tag, { emitted: name, muted: false, scope, base, outputBefore, dropsBackTo });
    return tag.end;
  }

  /** Markup inside a plain value: keeps its text, or the attribute that holds the value. */
  #openMarkup(tag: StartTag, around: OpenElement, scope: NamespaceScope | null): number {
    const said = valueOfMarkup(tag, around.emitted ?? '');
    if (said !== null) {
      this.#writeCharacters(said);
    }
    const emitted = said === null ? around.emitted : null;
    this.#push(tag, { emitted, muted: said !== null, scope, base: around.base, isInline: true });
    return tag.end;
  }

  #keepsNextItem(): boolean {
    const position = this.#items;
    this.#items += 1;
    this.#dates?.beginItem();
    return this.#kept === null ? position < MOST_ITEMS : this.#kept.has(position);
  }

  #isWanted(name: string, tag: StartTag, parent: OpenElement | undefined): boolean {
    if (!parent || parent.muted) {
      return false;
    }
    if (!isKnown(name)) {
      return false;
    }
    const kind = kindOf(name, tag);
    parent.children ??= new Map();
    const alike = parent.children.get(kind) ?? 0;
    const most = alike === 0 ? 2 * MOST_ELEMENTS : MOST_ELEMENTS;
    if (alike >= MOST_OF_A_KIND || this.#elements >= most) {
      this.#damage ??= 'The document holds more elements than a feed can mean; some were left out.';
      return false;
    }
    this.#isCertain ||= name === 'title' && parent.emitted === 'root';
    parent.children.set(kind, alike + 1);
    this.#elements += 1;
    return true;
  }

  #canonicalName(name: string, scope: NamespaceScope | null): string {
    const colon = name.indexOf(':');
    const local = name.slice(colon + 1);
    const namespace = lookUp(scope, colon === -1 ? '' : name.slice(0, colon));
    const prefix = this.#canonicalPrefix(colon === -1 ? null : name.slice(0, colon), namespace);
    if (prefix === FOREIGN && colon === -1 && FRAME.has(local)) {
      // An invented namespace on frame elements still means the frame of a feed.
      this.#coreNamespaces.add(namespace);
      return local;
    }
    if (prefix === CORE) {
      return local;
    }
    if (prefix === FOREIGN) {
      return FOREIGN;
    }
    // Some publishers declare the XHTML namespace on the feed element around the markup.
    const isHolder = prefix === 'xhtml' && colon === -1 && !PROSE.has(`xhtml:${local}`);
    if (isHolder && PROSE.has(local)) {
      return local;
    }
    return `${prefix}:${local}`;
  }

  #canonicalPrefix(written: string | null, namespace: string | null): string {
    if (namespace === null) {
      return written === null ? CORE : usualPrefix(written);
    }
    if (this.#coreNamespaces.has(namespace)) {
      return CORE;
    }
    const prefix = prefixOfNamespace(namespace);
    if (prefix === 'atom' && this.#shape === 'atom') {
      return CORE;
    }
    if (prefix !== null) {
      return prefix;
    }
    if (namespace === '' || written === null) {
      return namespace === '' ? CORE : FOREIGN;
    }
    // The address of the namespace is unknown or mistyped; trust the prefix.
    const usual = usualPrefix(written);
    return usual === CORE ? FOREIGN : usual;
  }

  /** Writes everything up to the matching end tag as one text, markup included. */
  #captureProse(tag: StartTag, name: string, scope: NamespaceScope | null, base: string): number {
    const prose = new ProseCapture(this.#scanner, this.#entities, tag, scope);
    const end = prose.run();
    const type = prose.type;
    const innerBase = prose.innerBase === null ? base : resolveBase(prose.innerBase, base);
    const attributes = new Map(tag.attributes);
    if (type !== null) {
      attributes.set('type', type);
      attributes.delete('mode');
    }
    if (prose.innerLanguage !== null) {
      attributes.set('lang', prose.innerLanguage);
    }
    if (prose.innerDirection !== null) {
      attributes.set('dir', prose.innerDirection);
    }
    const isUnfinished = !prose.complete && end >= this.#text.length;
    if (isUnfinished || prose.holdsUnended) {
      this.#believeUpTo(this.#output.length);
    }
    this.#output.push(`<${name}${this.#attributesOf({ ...tag, attributes }, innerBase)}>`);
    this.#output.push(asCharacterData(prose.content), `</${name}>`);
    if (!prose.complete) {
      this.#damage ??= `${shownElement(tag.name)} of the document is never closed.`;
    }
    return end;
  }

  #attributesOf(tag: StartTag, base: string): string {
    let written = '';
    const seen = new Set<string>();
    for (const [name, value] of tag.attributes) {
      const known = ATTRIBUTES.get(name);
      if (known === undefined || seen.has(known)) {
        continue;
      }
      seen.add(known);
      const plain = decodeReferences(value, this.#entities.valueOf).replace(/\s/g, ' ');
      written += ` ${known}="${escapeAttribute(plain)}"`;
    }
    if (base !== this.#documentUrl) {
      written += ` base="${escapeAttribute(base)}"`;
    }
    return written;
  }

  #baseOf(tag: StartTag, inherited: string): string {
    const written = tag.attributes.get('xml:base');
    if (written === undefined) {
      return inherited;
    }
    return resolveBase(decodeReferences(written, this.#entities.valueOf), inherited);
  }

  #writeText(text: string): void {
    if (!this.#takesText()) {
      return;
    }
    this.#output.push(asCharacterData(decodeReferences(text, this.#entities.valueOf)));
  }

  #writeCharacters(text: string): void {
    if (this.#takesText()) {
      this.#output.push(asCharacterData(text));
    }
  }

  #takesText(): boolean {
    if (this.#skipped.size > 0) {
      return false;
    }
    const emitted = this.#open.at(-1)?.emitted;
    return emitted !== undefined && emitted !== null && emitted !== 'root';
  }

  get #itemName(): string {
    return this.#shape === 'rss' ? 'item' : 'entry';
  }

  #push(
    tag: StartTag,
    element: Pick<OpenElement, 'emitted' | 'muted' | 'scope' | 'base'> & Partial<OpenElement>,
  ): void {
    const outputBefore = this.#output.length;
    this.#open.push({
      name: tag.name,
      children: null,
      outputBefore,
      dropsBackTo: null,
      isInline: false,
      ...element,
    });
    this.#openCounts.set(tag.name, (this.#openCounts.get(tag.name) ?? 0) + 1);
    if (tag.selfClosing) {
      this.#closeLast();
    }
  }

  #isOpen(name: string): boolean {
    return this.#open.some((element) => element.emitted === name);
  }

  #closeUnclosedItem(): void {
    if (!this.#isOpen(this.#itemName)) {
      return;
    }
    while (this.#open.at(-1)?.emitted !== this.#itemName) {
      this.#closeLast();
    }
    this.#closeLast();
  }

  /** An item begins although too many elements are open, most of which its publisher forgot to close. */
  #leaveDepths(): void {
    this.#skipped.clear();
    while (this.#open.length > 0 && this.#open.at(-1)?.emitted !== 'root') {
      this.#closeLast();
    }
  }

  #close(name: string): void {
    const skipped = this.#skipped.get(name);
    if (skipped !== undefined && !FRAME.has(name)) {
      this.#skipped.set(name, skipped - 1);
      if (skipped === 1) {
        this.#skipped.delete(name);
      }
      return;
    }
    if (!this.#openCounts.get(name)) {
      return;
    }
    this.#skipped.clear();
    while (this.#open.at(-1)?.name !== name) {
      this.#closeLast();
    }
    this.#closeLast();
  }

  #closeLast(): void {
    const element = this.#open.pop();
    if (!element) {
      return;
    }
    this.#openCounts.set(element.name, (this.#openCounts.get(element.name) ?? 1) - 1);
    const { emitted, isInline } = element;
    if (emitted !== null && emitted !== 'root' && !isInline) {
      this.#endElement(element, emitted);
    }
    if (this.#open.length > 0) {
      return;
    }
    this.#finished = true;
    this.#output.push(this.#shape === 'rss' ? '</channel></rss>' : '</feed>');
  }

  #endElement({ outputBefore, dropsBackTo }: OpenElement, emitted: string): void {
    if (this.#dates?.isDate(emitted)) {
      const written = this.#output.slice(outputBefore + 1).join('');
      this.#dates.note(emitted, written.replace(/<!\[CDATA\[|\]\]>/g, ''));
    }
    this.#output.push(`</${emitted}>`);
    if (dropsBackTo === null) {
      return;
    }
    this.#output.length = outputBefore;
    this.#elements = dropsBackTo;
  }
}

const FOREIGN_PREFIXES = [
  ...new Set(
    [...STRUCTURE, ...PROSE, ...PLAIN]
      .filter((name) => name.includes(':'))
      .map((name) => name.slice(0, name.indexOf(':'))),
  ),
];

/** Links of one relation are a kind of their own: many files do not displace the page. */
function kindOf(name: string, { attributes }: StartTag): string {
  const isLink = name === 'link' || name === 'atom:link';
  return isLink ? `${name} ${attributes.get('rel') ?? 'alternate'}`.toLowerCase() : name;
}

/** Atom 0.3: `multipart/alternative` wraps several versions of one content. */
function holdsAlternatives(tag: StartTag): boolean {
  return /^multipart\//i.test(tag.attributes.get('type') ?? '');
}

/** Whether child elements can only be markup around the text. */
function takesMarkup(element: OpenElement | undefined): element is OpenElement {
  const name = element?.emitted ?? '';
  return PLAIN.has(name) || PERSONS.has(name);
}

function isLeftOpen(element: OpenElement | undefined, next: string): boolean {
  if (!element?.emitted) {
    return false;
  }
  if (PERSONS.has(element.emitted)) {
    return next !== FOREIGN && !OF_PERSONS.has(next);
  }
  return PLAIN.has(element.emitted);
}

function resolveBase(written: string, inherited: string): string {
  const url = URL.parse(written.trim(), inherited);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : inherited;
}

function asCharacterData(text: string): string {
  if (!/[<&]/.test(text)) {
    return text;
  }
  return `<![CDATA[${text.replaceAll(']]>', `]]${CDATA_GUARD}>`)}]]>`;
}

const A_FEED =
  /<(?:[\w-]{1,20}:)?(?:feed\s[^<>]{0,2000}(?:2005\/atom|purl\.org\/atom)|rss\s[^<>]{0,2000}version|rdf\s[^<>]{0,2000}purl\.org\/rss)/i;

/**
 * The feed inside of a web page, as browsers wrap it; not one that a script or a comment mentions.
 *
 * @throws UnreadableDocument when there is none
 */
function feedWithin(page: string, from: number): number {
  const at = from + page.slice(from).search(A_FEED);
  const isIn = (start: string, end: string) =>
    page.lastIndexOf(start, at) > page.lastIndexOf(end, at);
  if (at < from || isIn('<script', '</script') || isIn('<!--', '-->')) {
    throw new UnreadableDocument(WEB_PAGE);
  }
  return at;
}

function whyNoFeed(text: string, firstElement: string | null): string {
  if (text.trim() === '') {
    return 'The document is empty.';
  }
  if (firstElement === 'html' || /^\s*<!doctype\s+html/i.test(text.slice(0, 1000))) {
    return WEB_PAGE;
  }
  if (firstElement === 'opml') {
    return 'The document is not a feed: it is a list of feeds (OPML).';
  }
  if (firstElement === null || !A_NAME.test(firstElement)) {
    return 'The document is not a feed: it holds no XML and no JSON Feed.';
  }
  return `The document is not a feed: its outermost element is <${firstElement}>.`;
}

/** Binary data may look like a tag; messages show only plausible names. */
const A_NAME = /^[a-z_][\w.:-]{0,49}$/i;

function shownElement(name: string): string {
  return A_NAME.test(name) ? `A <${name}>` : 'An element';
}
