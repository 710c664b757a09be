import { readDate } from '../dates/read-date.js';
import { decodeReferences, escapeHtml } from '../html/character-references.js';
import type { StartTag, TagScanner } from '../html/tag-scanner.js';
import { words } from '../words.js';
import {
  FRAME,
  prefixOfNamespace,
  usualPrefix,
  lookUp,
  type NamespaceScope,
} from './feed-vocabulary.js';
import type { InternalEntities } from './internal-entities.js';

/** HTML knows its elements without a prefix. */
const MATHML_NAMESPACE = 'http://www.w3.org/1998/Math/MathML';

/** Tags that imply a missing end tag of the text element before them. */
const ENDS_PROSE = new Set(
  words(`
  item entry channel description content:encoded pubdate guid updated published`),
);

/** The content of one text element, markup included. */
export class ProseCapture {
  content = '';
  /** Type that overrides the declared one, derived from the content; else null. */
  type: string | null = null;
  complete = true;
  /** Holds an unterminated comment or CDATA section. */
  holdsUnended = false;
  innerBase: string | null = null;
  innerLanguage: string | null = null;
  innerDirection: string | null = null;

  readonly #scanner: TagScanner;
  readonly #entities: InternalEntities;
  readonly #tag: StartTag;
  readonly #scope: NamespaceScope | null;
  readonly #texts: string[] = [];
  readonly #markup: string[] = [];
  #hasMarkup = false;
  readonly #isXhtml: boolean;
  readonly #isXml: boolean;
  readonly #xhtmlPrefixes = new Map<string, boolean>();

  constructor(
    scanner: TagScanner,
    entities: InternalEntities,
    tag: StartTag,
    scope: NamespaceScope | null,
  ) {
    this.#scanner = scanner;
    this.#entities = entities;
    this.#tag = tag;
    this.#scope = scope;
    const type = (tag.attributes.get('type') ?? '').trim().toLowerCase();
    this.#isXhtml = type === 'xhtml' || type === 'application/xhtml+xml';
    this.#isXml = type.endsWith('/xml') || type.endsWith('+xml');
  }

  /** @returns the position after the element */
  run(): number {
    const { text } = this.#scanner;
    let at = this.#tag.end;
    let depth = 0;
    for (;;) {
      const tag = this.#scanner.find('<', at);
      this.#addText(text.slice(at, tag === -1 ? undefined : tag));
      if (tag === -1) {
        return this.#finish(text.length, false);
      }
      const next = text.charAt(tag + 1);
      if (next === '/') {
        const { name, end } = this.#scanner.endTag(tag);
        if (name === this.#tag.name && depth === 0) {
          return this.#finish(end, true);
        }
        if (!this.#isXml && FRAME.has(name)) {
          return this.#finish(tag, false);
        }
        if (name === this.#tag.name) {
          depth -= 1;
        }
        this.#addEndTag(name);
        at = end;
      } else if (next === '!' || next === '?') {
        at = this.#addDeclaration(tag);
      } else if (this.#scanner.startsNameAt(tag + 1)) {
        const start = this.#scanner.startTag(tag);
        if (!start.complete) {
          return this.#finish(start.end, false);
        }
        if (this.#endsProse(start.name)) {
          return this.#finish(tag, false);
        }
        if (start.name === this.#tag.name && !start.selfClosing) {
          depth += 1;
        }
        this.#addStartTag(start, tag);
        at = start.end;
      } else {
        at = this.#scanner.endOfLoneLess(tag);
        this.#texts.push(text.slice(tag, at));
        this.#markup.push('&lt;'.repeat(at - tag));
      }
    }
  }

  #endsProse(name: string): boolean {
    return !this.#isXml && name !== this.#tag.name && ENDS_PROSE.has(name);
  }

  #finish(end: number, complete: boolean): number {
    this.complete = complete;
    if (this.#hasMarkup) {
      const html = this.#markup.join('').trim();
      this.content = this.#isXhtml ? withoutWrapper(html) : html;
      this.type = 'html';
    } else {
      this.content = this.#texts.join('');
      if (this.#isXhtml) {
        this.type = 'text';
      }
    }
    return end;
  }

  #addText(text: string): void {
    if (text === '') {
      return;
    }
    if (this.#hasMarkup) {
      this.#markup.push(this.#asHtml(text));
      return;
    }
    this.#texts.push(decodeReferences(text, this.#entities.valueOf));
    this.#markup.push(this.#asHtml(text));
  }

  /** Expands entities that the document declares; HTML's own references may stay. */
  #asHtml(text: string): string {
    if (!this.#entities.declared) {
      return text;
    }
    return escapeHtml(decodeReferences(text, this.#entities.valueOf));
  }

  #addDeclaration(at: number): number {
    const { text } = this.#scanner;
    this.holdsUnended ||= this.#scanner.isUnended(at);
    if (this.#scanner.startsCdataAt(at)) {
      const { characters: end, next } = this.#scanner.cdataEnd(at, this.#tag.name);
      const characters = text.slice(at + 9, end);
      this.#texts.push(characters);
      this.#markup.push(this.#isXhtml ? escapeHtml(characters) : characters);
      return next;
    }
    return this.#scanner.declarationEnd(at);
  }

  #addStartTag(tag: StartTag, at: number): void {
    if (!this.#hasMarkup) {
      this.#noteWrapper(tag);
    }
    this.#notePrefixes(tag);
    this.#hasMarkup = true;
    const name = this.#htmlName(tag.name);
    const source = this.#scanner.text;
    const attributes = source.slice(at + 1 + tag.name.length, tag.end);
    this.#markup.push(`<${name}`, this.#entities.replaceIn(attributes));
    // The next tag cut this one off: add the missing `>`.
    if (source.charAt(tag.end - 1) !== '>') {
      this.#markup.push('>');
    }
  }

  #addEndTag(name: string): void {
    this.#hasMarkup = true;
    if (name !== '') {
      this.#markup.push(`</${this.#htmlName(name)}>`);
    }
  }

  #noteWrapper(tag: StartTag): void {
    this.innerBase = tag.attributes.get('xml:base') ?? null;
    this.innerLanguage = tag.attributes.get('xml:lang') ?? tag.attributes.get('lang') ?? null;
    this.innerDirection = tag.attributes.get('dir') ?? null;
  }

  /** Remembers prefixes of XHTML and MathML, which HTML knows without one. */
  #notePrefixes(tag: StartTag): void {
    for (const [name, value] of tag.attributes) {
      const isKnown = value === MATHML_NAMESPACE || prefixOfNamespace(value) === 'xhtml';
      if (name.startsWith('xmlns:') && isKnown) {
        this.#xhtmlPrefixes.set(name.slice(6), true);
      }
    }
  }

  #htmlName(name: string): string {
    const colon = name.indexOf(':');
    if (colon === -1) {
      return name;
    }
    const prefix = name.slice(0, colon);
    let isXhtml = this.#xhtmlPrefixes.get(prefix);
    if (isXhtml === undefined) {
      const namespace = lookUp(this.#scope, prefix);
      isXhtml =
        namespace === MATHML_NAMESPACE ||
        (namespace === null ? usualPrefix(prefix) : prefixOfNamespace(namespace)) === 'xhtml';
      this.#xhtmlPrefixes.set(prefix, isXhtml);
    }
    return isXhtml ? name.slice(colon + 1) : name;
  }
}

/** Removes the `div` around XHTML, which is part of the format. */
function withoutWrapper(html: string): string {
  const open = /^<div(?:\s[^<>]*)?>/i.exec(html.slice(0, 2000));
  if (!open || !/<\/div\s*>$/i.test(html.slice(-20))) {
    return html;
  }
  const inner = html.slice(open[0].length, html.lastIndexOf('<'));
  // Two adjacent divs are no wrapper.
  let depth = 0;
  let at = inner.indexOf('<');
  while (at !== -1) {
    const isEnd = inner.charAt(at + 1) === '/';
    const name = inner.slice(at + (isEnd ? 2 : 1), at + (isEnd ? 5 : 4)).toLowerCase();
    if (name === 'div') {
      depth += isEnd ? -1 : 1;
    }
    if (depth < 0) {
      return html;
    }
    at = inner.indexOf('<', at + 1);
  }
  return inner.trim();
}

/** HTML elements that publishers put around plain text values. */
const INLINE = new Set(
  words(`
  a abbr acronym address b bdi bdo big br center cite code data del dfn div em font i ins kbd mark nobr
  p pre q s samp small span strike strong sub sup time tt u var wbr`),
);

/** Elements whose text is an address. */
const OF_ADDRESSES = new Set(
  words(`
  link url logo icon atom:link atom:logo atom:icon feedburner:origlink`),
);

/**
 * Whether an element inside a plain value is markup around its text.
 *
 * @param name canonical name
 * @param tag of the element
 */
export function isInlineMarkup(name: string, tag: StartTag): boolean {
  const local = tag.name.slice(tag.name.indexOf(':') + 1);
  const isOfHtml = name === local || name === `xhtml:${local}` || !tag.name.includes(':');
  return isOfHtml && INLINE.has(local);
}

/**
 * The attribute that holds the value of a markup element: `<time datetime>`, or `<a href>` where an
 * address is expected.
 *
 * @param around name of the plain element around it
 * @returns null when its text is the value
 */
export function valueOfMarkup(tag: StartTag, around: string): string | null {
  const datetime = tag.attributes.get('datetime');
  if (datetime !== undefined && readDate(decodeReferences(datetime)) !== null) {
    return decodeReferences(datetime);
  }
  const href = tag.attributes.get('href');
  const isAddress = OF_ADDRESSES.has(around) || tag.selfClosing;
  return href !== undefined && isAddress ? decodeReferences(href) : null;
}
