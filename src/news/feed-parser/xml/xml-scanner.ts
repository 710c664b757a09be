/** A start tag as a publisher wrote it: names in lower case, references in values unresolved. */
export interface StartTag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly selfClosing: boolean;
  /** Where reading goes on. */
  readonly end: number;
  /** False when the document ends inside the tag. */
  readonly complete: boolean;
}

/** Names and values longer than this are not kept: no feed means anything by them. */
const LONGEST_NAME = 100;
const LONGEST_VALUE = 100_000;
const MOST_ATTRIBUTES = 64;

const CDATA_START = '<![CDATA[';

/** Shared by the many tags that have none; never written to. */
const NO_ATTRIBUTES = new Map<string, string>();

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const SLASH = 0x2f;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;

/**
 * Reads tags out of markup that may be broken in any way. Every character is looked at a bounded
 * number of times, so that no document can make reading slow: searches that found nothing are
 * remembered, and no search is repeated over the same stretch.
 */
export class XmlScanner {
  readonly text: string;
  readonly #found = new Map<string, { readonly from: number; readonly at: number }>();

  constructor(text: string) {
    this.text = text;
  }

  /** Like `indexOf`, but passes over no stretch twice in search of the same. */
  find(wanted: string, from: number): number {
    const known = this.#found.get(wanted);
    if (known && from >= known.from && (known.at === -1 || from <= known.at)) {
      return known.at;
    }
    const at = this.text.indexOf(wanted, from);
    this.#found.set(wanted, { from, at });
    return at;
  }

  /**
   * The end of a comment, an instruction or a declaration. A comment that is never closed goes no
   * further than to the next `>`, so that it does not hide the rest of the document, and neither
   * does an instruction, since word processors leave some that do not end with `?>`.
   *
   * @param at position of its `<`
   */
  declarationEnd(at: number): number {
    const isComment = this.text.startsWith('<!--', at);
    const end = isComment ? this.find('-->', at + 2) : -1;
    if (end !== -1) {
      return end + 3;
    }
    const next = this.find('>', at + 2);
    return next === -1 ? this.text.length : next + 1;
  }

  /**
   * Whether a comment or CDATA section begins here that nothing ends. In a document that is cut off
   * this is where it was cut, whatever looks like markup behind it.
   *
   * @param at position of its `<`
   */
  isUnended(at: number): boolean {
    if (this.text.startsWith('<!--', at)) {
      return this.find('-->', at + 2) === -1;
    }
    return this.startsCdataAt(at) && this.find(']]>', at) === -1;
  }

  /** Whether a CDATA section begins here; a few publishers write its name in lower case. */
  startsCdataAt(at: number): boolean {
    return (
      this.text.startsWith('<![', at) &&
      this.text.slice(at + 3, at + CDATA_START.length).toLowerCase() === 'cdata['
    );
  }

  /**
   * The end of a CDATA section. One that holds the end of its own element and then another section
   * was never closed, or not properly: it ends with its element.
   *
   * @param at position of its `<`
   * @param element name of the element it stands in, in lower case
   * @returns where its characters end and where reading goes on; both the end of the document for
   *   a section that is cut off
   */
  cdataEnd(at: number, element: string): { readonly characters: number; readonly next: number } {
    const { text } = this;
    const from = at + CDATA_START.length;
    const close = this.find(']]>', from);
    const following = this.find(CDATA_START, from);
    const isWhole = close !== -1 && (following === -1 || following > close);
    if (isWhole) {
      return { characters: close, next: close + 3 };
    }
    const limit = following === -1 ? text.length : following;
    const end = this.#endTagBefore(element, from, limit);
    if (end !== -1) {
      // What is left of its own end, as in `]>` or `]] >`.
      const remains = /\]{1,2} ?>? ?$/.exec(text.slice(Math.max(from, end - 5), end));
      return { characters: end - (remains?.[0].length ?? 0), next: end };
    }
    if (close === -1) {
      return { characters: text.length, next: text.length };
    }
    return { characters: close, next: close + 3 };
  }

  #endTagBefore(element: string, from: number, limit: number): number {
    for (let at = this.find('</', from); at !== -1 && at < limit; at = this.find('</', at + 2)) {
      const name = this.text.slice(at + 2, at + 2 + element.length).toLowerCase();
      if (name === element && this.#endOfName(at + 2) === at + 2 + element.length) {
        return at;
      }
    }
    return -1;
  }

  startsNameAt(at: number): boolean {
    const code = this.text.charCodeAt(at);
    return (
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      code === 0x5f ||
      code > 0x7f
    );
  }

  /**
   * @param at position of a `<` that begins no tag
   * @returns the end of a row of these, up to one that may begin a tag
   */
  endOfLoneLess(at: number): number {
    let end = at + 1;
    while (this.text.charCodeAt(end) === LESS) {
      end += 1;
    }
    return end > at + 1 ? end - 1 : end;
  }

  /** @param at position of the `<` of a start tag */
  startTag(at: number): StartTag {
    const { text } = this;
    let i = this.#endOfName(at + 1);
    const name = this.#nameOf(at + 1, i);
    let attributes = NO_ATTRIBUTES;
    for (;;) {
      i = this.#skipSpace(i);
      if (i >= text.length) {
        return { name, attributes, selfClosing: false, end: i, complete: false };
      }
      const code = text.charCodeAt(i);
      if (code === GREATER) {
        return { name, attributes, selfClosing: false, end: i + 1, complete: true };
      }
      if (code === SLASH && text.charCodeAt(i + 1) === GREATER) {
        return { name, attributes, selfClosing: true, end: i + 2, complete: true };
      }
      // A tag that was never closed ends where the next one begins.
      if (code === LESS) {
        return { name, attributes, selfClosing: false, end: i, complete: true };
      }
      if (attributes === NO_ATTRIBUTES) {
        attributes = new Map();
      }
      i = this.#attribute(i, attributes);
    }
  }

  /**
   * @param at position of the `<` of an end tag
   * @returns its name in lower case and where reading goes on
   */
  endTag(at: number): { readonly name: string; readonly end: number } {
    const { text } = this;
    let i = this.#endOfName(at + 2);
    const name = this.#nameOf(at + 2, i);
    while (i < text.length) {
      const code = text.charCodeAt(i);
      if (code === GREATER) {
        return { name, end: i + 1 };
      }
      if (code === LESS) {
        return { name, end: i };
      }
      i += 1;
    }
    return { name, end: i };
  }

  #attribute(at: number, attributes: Map<string, string>): number {
    const { text } = this;
    let i = this.#endOfName(at);
    // A stray quote or `=`: step over it.
    if (i === at) {
      return at + 1;
    }
    const name = this.#nameOf(at, i);
    const equals = this.#skipSpace(i);
    if (text.charCodeAt(equals) !== EQUALS) {
      return i;
    }
    i = this.#skipSpace(equals + 1);
    const quote = text.charCodeAt(i);
    const end =
      quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE ? this.#endOfQuoted(i) : this.#endOfBare(i);
    const isQuoted = end.quoted;
    if (name !== '' && attributes.size < MOST_ATTRIBUTES && !attributes.has(name)) {
      const from = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE ? i + 1 : i;
      if (end.at - from <= LONGEST_VALUE) {
        attributes.set(name, text.slice(from, end.at));
      }
    }
    return isQuoted ? end.at + 1 : end.at;
  }

  /**
   * A value may hold `<` only when its closing quote looks like one; otherwise the quote was
   * forgotten and the value would swallow the tags behind it.
   */
  #endOfQuoted(at: number): { at: number; quoted: boolean } {
    const { text } = this;
    const close = this.find(text.charAt(at), at + 1);
    if (close === -1) {
      return this.#endOfBare(at + 1);
    }
    const after = text.charCodeAt(close + 1);
    if (Number.isNaN(after) || isSpace(after) || after === GREATER || after === SLASH) {
      return { at: close, quoted: true };
    }
    for (let i = at + 1; i < close; i++) {
      if (text.charCodeAt(i) === LESS) {
        return { at: i, quoted: false };
      }
    }
    return { at: close, quoted: true };
  }

  #endOfBare(at: number): { at: number; quoted: boolean } {
    const { text } = this;
    let i = at;
    while (i < text.length) {
      const code = text.charCodeAt(i);
      if (isSpace(code) || code === GREATER || code === LESS) {
        break;
      }
      if (code === SLASH && text.charCodeAt(i + 1) === GREATER) {
        break;
      }
      i += 1;
    }
    return { at: i, quoted: false };
  }

  #nameOf(from: number, to: number): string {
    return to - from > LONGEST_NAME ? '' : this.text.slice(from, to).toLowerCase();
  }

  #endOfName(at: number): number {
    const { text } = this;
    let i = at;
    while (i < text.length) {
      const code = text.charCodeAt(i);
      if (
        isSpace(code) ||
        code === SLASH ||
        code === GREATER ||
        code === LESS ||
        code === EQUALS ||
        code === DOUBLE_QUOTE ||
        code === SINGLE_QUOTE
      ) {
        break;
      }
      i += 1;
    }
    return i;
  }

  #skipSpace(at: number): number {
    let i = at;
    while (isSpace(this.text.charCodeAt(i))) {
      i += 1;
    }
    return i;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === TAB || code === RETURN;
}
