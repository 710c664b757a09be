import sanitizeHtml from 'sanitize-html';

/** Longest name HTML knows is 31 letters; anything longer is text that happens to hold an `&`. */
const LONGEST_NAME = 40;

/** Distinct unknown names looked up before all further ones count as unknown, to bound the work. */
const MOST_LOOK_UPS = 5_000;

/**
 * What publishers mean by U+0080 to U+009F: they wrote windows-1252 and called it something else.
 * The five positions windows-1252 leaves open stay as they are.
 */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const PREDEFINED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

const known = new Map(PREDEFINED);
const unknown = new Set<string>();

/** Whether XML knows an entity without any declaration. */
export function isPredefined(name: string): boolean {
  return PREDEFINED.has(name);
}

/** Text of a named HTML entity, null when HTML knows no such name. */
export function namedCharacter(name: string): string | null {
  const found = known.get(name);
  if (found !== undefined) {
    return found;
  }
  if (unknown.has(name) || unknown.size > MOST_LOOK_UPS) {
    return null;
  }
  // The sanitiser's parser knows all names of HTML; its output escapes three characters again.
  const decoded = sanitizeHtml(`&${name};`, { allowedTags: [], allowedAttributes: {} })
    .replace('&lt;', '<')
    .replace('&gt;', '>')
    .replace('&amp;', '&');
  // HTML also accepts some names without their semicolon, so that `&notit;` reads as `¬it;`.
  if (decoded.endsWith(';') && name !== 'semi') {
    unknown.add(name);
    return null;
  }
  known.set(name, decoded);
  return decoded;
}

/**
 * The character a numeric reference stands for; empty for one that no text may hold. Halves of a
 * surrogate pair pass, because publishers write one emoji as two references.
 */
export function characterOf(codePoint: number): string {
  if (codePoint >= 0x80 && codePoint <= 0x9f) {
    return WINDOWS_1252.charAt(codePoint - 0x80);
  }
  if (codePoint > 0x10_ff_ff) {
    return '';
  }
  if (codePoint < 0x20 && codePoint !== 9 && codePoint !== 10 && codePoint !== 13) {
    return '';
  }
  if (codePoint === 0xfffe || codePoint === 0xffff) {
    return '';
  }
  return String.fromCodePoint(codePoint);
}

/**
 * Replaces the references of one level: `&amp;lt;` becomes `&lt;`. Needs the semicolon, leaves an
 * unknown or bare `&` alone, and takes time in proportion to the length.
 *
 * @param entity what the document itself declares; asked before the names of HTML
 */
export function decodeReferences(
  text: string,
  entity: (name: string) => string | null = () => null,
): string {
  let at = text.indexOf('&');
  if (at === -1) {
    return text;
  }
  const pieces: string[] = [];
  let from = 0;
  while (at !== -1) {
    const end = endOfReference(text, at);
    const value = end === -1 ? null : readReference(text.slice(at + 1, end), entity);
    if (value !== null) {
      pieces.push(text.slice(from, at), value);
      from = end + 1;
    }
    at = text.indexOf('&', Math.max(at + 1, from));
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}

function endOfReference(text: string, at: number): number {
  const limit = Math.min(text.length, at + LONGEST_NAME);
  for (let i = at + 1; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x3b) {
      return i > at + 1 ? i : -1;
    }
    const isPartOfName =
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      code === 0x23 ||
      code === 0x2d ||
      code === 0x2e ||
      code === 0x5f ||
      code > 0x7f;
    if (!isPartOfName) {
      return -1;
    }
  }
  return -1;
}

function readReference(name: string, entity: (name: string) => string | null): string | null {
  if (!name.startsWith('#')) {
    return PREDEFINED.get(name) ?? entity(name) ?? namedCharacter(name);
  }
  const isHex = name[1] === 'x' || name[1] === 'X';
  const digits = name.slice(isHex ? 2 : 1);
  const isNumber = isHex ? /^[0-9a-f]+$/i.test(digits) : /^[0-9]+$/.test(digits);
  return isNumber ? characterOf(Number.parseInt(digits, isHex ? 16 : 10)) : null;
}

/**
 * Makes a text fit for XML and for the database: no control characters, no half surrogates, and
 * windows-1252 characters where a publisher left their bytes behind.
 */
export function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex
  let cleaned = text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]+/g, '');
  if (/[\u0080-\u009F]/.test(cleaned)) {
    // Character by character would take seconds for a document full of them.
    for (let code = 0x80; code <= 0x9f; code++) {
      cleaned = cleaned.replaceAll(String.fromCodePoint(code), characterOf(code));
    }
  }
  return cleaned.toWellFormed();
}

/** Escapes a text so that it means itself inside HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
