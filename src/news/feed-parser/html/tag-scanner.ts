/** A start tag: names in lower case, references in values not decoded. */
export interface StartTag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly selfClosing: boolean;
  /** Position after the tag. */
  readonly end: number;
  /** False if the document ends inside the tag. */
  readonly complete: boolean;
}

/** Longer names and values are dropped. */
const LONGEST_NAME = 100;
const LONGEST_VALUE = 100_000;
const MOST_ATTRIBUTES = 64;

const CDATA_START = '<![CDATA[';

/** Shared by all tags without attributes; never modified. */
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
 * Tolerant tokenizer for damaged XML and HTML, which recovers where `htmlparser2` does not: from
 * missing quotes, `>` and ends of CDATA sections. Linear: search results are cached per pattern, so
 * that no part of the text is searched twice for the same.
 */
export class TagScanner {
  readonly text: string;
  readonly #isKnown: (name: string) => boolean;
  readonly #found = new Map<string, { readonly from: number; readonly at: number }>();

  /** @param isKnown whether an attribute is kept even if its tag has too many */
  constructor(text: string, isKnown: (name: string) => boolean = () => false) {
    this.text = text;
    this.#isKnown = isKnown;
  }

  /** `indexOf` with a cache of the last result per pattern. */
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
   * The end of a comment, processing instruction or declaration. An unterminated comment ends at the
   * next `>` so that it does not hide the rest of the document; so do all instructions, since word
   * processors write some without `?>`.
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
   * Whether an unterminated comment or CDATA section begins here. A truncated document ends there, even if
   * markup seems to follow.
   *
   * @param at position of its `<`
   */
  isUnended(at: number): boolean {
    if (this.text.startsWith('<!--', at)) {
      return this.find('-->', at + 2) === -1;
    }
    return this.startsCdataAt(at) && this.find(']]>', at) === -1;
  }

  /** Whether a CDATA section begins here, in upper or lower case. */
  startsCdataAt(at: number): boolean {
    return (
      this.text.startsWith('<![', at) &&
      this.text.slice(at + 3, at + CDATA_START.length).toLowerCase() === 'cdata['
    );
  }

  /**
   * The end of a CDATA section. If it contains the end tag of its own element and then another section, its
   * terminator is missing or damaged, and it ends with the element.
   *
   * @param at position of its `<`
   * @param element name of the enclosing element, in lower case
   * @returns the end of its text and the position after it; both the end of the document for a section that
   *   is cut off
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
      // A damaged terminator, such as `]>` or `]] >`.
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
   * @returns the end of a run of `<`, before the last one, which may begin a tag
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
      // A tag without `>` ends where the next one begins.
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
   * @returns its name in lower case and the position after it
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
    const isKept = attributes.size < MOST_ATTRIBUTES || this.#isKnown(name);
    if (name !== '' && isKept && !attributes.has(name)) {
      const from = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE ? i + 1 : i;
      if (end.at - from <= LONGEST_VALUE) {
        attributes.set(name, text.slice(from, end.at));
      }
    }
    return isQuoted ? end.at + 1 : end.at;
  }

  /**
   * A value may contain `<` only if a plausible closing quote follows; otherwise the quote is missing
   * and the value would swallow the next tags.
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
