import { escapeHtml, escapeAttribute } from './character-references.js';
import { cutCleanly, LARGEST_BODY_BYTES } from './clean-html.js';
import { withoutInlineFiles } from './pictures.js';
import {
  beginsElement,
  cutAt,
  looksLikeHtml,
  onOneLine,
  textOfHtml,
  withoutTags,
} from './plain-text.js';

/** A text and whether it is HTML; for `unsaid` its content decides. */
export interface Prose {
  readonly kind: 'text' | 'html' | 'unsaid';
  readonly value: string;
}

/** Longest source of a single line. */
const LONGEST_LINE_SOURCE = 64 * 1024;

/** The text on one line, in which no client finds markup; null if nothing is left. */
export function safeLineOf(prose: Prose, mostCharacters: number): string | null {
  const line = lineOf(prose, mostCharacters);
  return line === null ? null : withoutTags(line);
}

/** The text on one line without its markup; null if nothing is left. Not escaped. */
export function lineOf(prose: Prose, mostCharacters: number): string | null {
  const value = withoutInlineFiles(prose.value).slice(0, LONGEST_LINE_SOURCE);
  const line = cutAt(plainLine({ ...prose, value }), mostCharacters).trim();
  return line === '' ? null : line;
}

function plainLine({ kind, value }: Prose): string {
  if (kind === 'html') {
    return textOfHtml(value);
  }
  const isHtml = kind === 'unsaid' && looksLikeHtml(value);
  return isHtml ? textOfHtml(value, 'unknown-tags') : onOneLine(value);
}

/** Elements that are visible without text. */
const SHOWN_WITHOUT_TEXT = /<(?:audio|hr|iframe|img|picture|table|video)[\s/>]/i;

/** Whether a text has visible content; long texts are assumed to. */
export function showsSomething(prose: Prose): boolean {
  if (prose.kind === 'text' || prose.value.length > 2_000) {
    return true;
  }
  return SHOWN_WITHOUT_TEXT.test(prose.value) || plainLine(prose) !== '';
}

/** A text that begins and ends with elements of the publisher's own, such as `<my-card>`. */
const OF_CUSTOM_ELEMENTS = /^\s*<[a-z][\w.]*-[\w.-]*[\s>][^]*<\/[a-z][\w.]*-[\w.-]*\s*>\s*$/;

/** The text as HTML in which plain texts keep their lines and links, not yet sanitised. */
export function shownHtmlOf(prose: Prose): string {
  if (isHtml({ ...prose, value: withoutInlineFiles(prose.value) })) {
    return prose.value;
  }
  const value = cutCleanly(prose.value, 2 * LARGEST_BODY_BYTES);
  return prose.kind === 'unsaid' && OF_CUSTOM_ELEMENTS.test(value) ? value : htmlOfText(value);
}

function isHtml({ kind, value }: Prose): boolean {
  return kind === 'html' || (kind === 'unsaid' && (beginsElement(value) || looksLikeHtml(value)));
}

/** The text as HTML, not yet sanitised. Identity is computed from it, so it can never change. */
export function htmlOf(prose: Prose): string {
  // Sanitising cuts the rest anyway.
  const value = cutCleanly(prose.value, 2 * LARGEST_BODY_BYTES);
  return isHtml({ ...prose, value }) ? value : escapeHtml(value);
}

const ADDRESS = /https?:\/\/[^\s<>"'“”«»`]{3,2000}/gi;

/** Punctuation that more likely ends the sentence than the address. */
const PUNCTUATION = /[.,:;!?)\]}…]$/;

const MOST_LINKS = 500;

/** HTML of a plain text: its lines are kept, its addresses become links. Not yet sanitised. */
export function htmlOfText(text: string): string {
  return linked(text)
    .replace(/(?:(?<![^\S\n\r])[^\S\n\r]+)?(?:\r\n?|\n)[^\S\n\r]*/g, '<br>\n')
    .replace(/(?:<br>\n){3,}/g, '<br>\n<br>\n');
}

function linked(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  let links = 0;
  for (const { index, 0: found } of text.matchAll(ADDRESS)) {
    links += 1;
    const address = withoutPunctuation(found);
    if (links > MOST_LINKS || !URL.canParse(address)) {
      continue;
    }
    pieces.push(
      escapeHtml(text.slice(from, index)),
      `<a href="${escapeAttribute(address)}">${escapeHtml(address)}</a>`,
    );
    from = index + address.length;
  }
  pieces.push(escapeHtml(text.slice(from)));
  return pieces.join('');
}

/** A closing bracket belongs to the address if it was opened there, as on Wikipedia. */
function withoutPunctuation(found: string): string {
  let address = found;
  while (PUNCTUATION.test(address)) {
    if (address.endsWith(')') && address.split('(').length >= address.split(')').length) {
      break;
    }
    address = address.slice(0, -1);
  }
  return address;
}
