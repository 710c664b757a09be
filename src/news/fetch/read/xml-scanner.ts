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
  private readonly missing = new Set<string>();

  constructor(text: string) {
    this.text = text;
  }

  /** Like `indexOf`, but asks only once for what is not there. */
  find(wanted: string, from: number): number {
    if (this.missing.has(wanted)) return -1;
    const at = this.text.indexOf(wanted, from);
    if (at === -1) this.missing.add(wanted);
    return at;
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
    while (this.text.charCodeAt(end) === LESS) end += 1;
    return end > at + 1 ? end - 1 : end;
  }

  /** @param at position of the `<` of a start tag */
  startTag(at: number): StartTag {
    const { text } = this;
    let i = this.endOfName(at + 1);
    const name = this.nameOf(at + 1, i);
    let attributes = NO_ATTRIBUTES;
    for (;;) {
      i = this.skipSpace(i);
      if (i >= text.length)
        return { name, attributes, selfClosing: false, end: i, complete: false };
      const code = text.charCodeAt(i);
      if (code === GREATER) {
        return { name, attributes, selfClosing: false, end: i + 1, complete: true };
      }
      if (code === SLASH && text.charCodeAt(i + 1) === GREATER) {
        return { name, attributes, selfClosing: true, end: i + 2, complete: true };
      }
      // A tag that was never closed ends where the next one begins.
      if (code === LESS) return { name, attributes, selfClosing: false, end: i, complete: true };
      if (attributes === NO_ATTRIBUTES) attributes = new Map();
      i = this.attribute(i, attributes);
    }
  }

  /**
   * @param at position of the `<` of an end tag
   * @returns its name in lower case and where reading goes on
   */
  endTag(at: number): { readonly name: string; readonly end: number } {
    const { text } = this;
    let i = this.endOfName(at + 2);
    const name = this.nameOf(at + 2, i);
    while (i < text.length) {
      const code = text.charCodeAt(i);
      if (code === GREATER) return { name, end: i + 1 };
      if (code === LESS) return { name, end: i };
      i += 1;
    }
    return { name, end: i };
  }

  private attribute(at: number, attributes: Map<string, string>): number {
    const { text } = this;
    let i = this.endOfName(at);
    // A stray quote or `=`: step over it.
    if (i === at) return at + 1;
    const name = this.nameOf(at, i);
    const equals = this.skipSpace(i);
    if (text.charCodeAt(equals) !== EQUALS) return i;
    i = this.skipSpace(equals + 1);
    const quote = text.charCodeAt(i);
    const end =
      quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE ? this.endOfQuoted(i) : this.endOfBare(i);
    const isQuoted = end.quoted;
    if (name !== '' && attributes.size < MOST_ATTRIBUTES && !attributes.has(name)) {
      const from = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE ? i + 1 : i;
      if (end.at - from <= LONGEST_VALUE) attributes.set(name, text.slice(from, end.at));
    }
    return isQuoted ? end.at + 1 : end.at;
  }

  /**
   * A value may hold `<` only when its closing quote looks like one; otherwise the quote was
   * forgotten and the value would swallow the tags behind it.
   */
  private endOfQuoted(at: number): { at: number; quoted: boolean } {
    const { text } = this;
    const close = this.find(text.charAt(at), at + 1);
    if (close === -1) return this.endOfBare(at + 1);
    const after = text.charCodeAt(close + 1);
    if (Number.isNaN(after) || isSpace(after) || after === GREATER || after === SLASH) {
      return { at: close, quoted: true };
    }
    for (let i = at + 1; i < close; i++) {
      if (text.charCodeAt(i) === LESS) return { at: i, quoted: false };
    }
    return { at: close, quoted: true };
  }

  private endOfBare(at: number): { at: number; quoted: boolean } {
    const { text } = this;
    let i = at;
    while (i < text.length) {
      const code = text.charCodeAt(i);
      if (isSpace(code) || code === GREATER || code === LESS) break;
      if (code === SLASH && text.charCodeAt(i + 1) === GREATER) break;
      i += 1;
    }
    return { at: i, quoted: false };
  }

  private nameOf(from: number, to: number): string {
    return to - from > LONGEST_NAME ? '' : this.text.slice(from, to).toLowerCase();
  }

  private endOfName(at: number): number {
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

  private skipSpace(at: number): number {
    let i = at;
    while (isSpace(this.text.charCodeAt(i))) i += 1;
    return i;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === TAB || code === RETURN;
}
