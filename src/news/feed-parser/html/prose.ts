import { escapeHtml } from './character-references.js';
import { cutCleanly, LARGEST_BODY_BYTES } from './clean-html.js';
import {
  beginsElement,
  cutAt,
  looksLikeHtml,
  onOneLine,
  textOfHtml,
  withoutTags,
} from './plain-text.js';

/** A text of a document and whether its publisher meant it as HTML; `unsaid` leaves it to us. */
export interface Prose {
  readonly kind: 'text' | 'html' | 'unsaid';
  readonly value: string;
}

/** Longest text looked at for something that is shown on one line. */
const LONGEST_LINE_SOURCE = 64 * 1024;

/** The text as one line in which no client finds markup, null when nothing is left. */
export function safeLineOf(prose: Prose, mostCharacters: number): string | null {
  const line = lineOf(prose, mostCharacters);
  return line === null ? null : withoutTags(line);
}

/** The text as one line without its markup, null when nothing is left. Not yet safe as HTML. */
export function lineOf(prose: Prose, mostCharacters: number): string | null {
  const value = prose.value.slice(0, LONGEST_LINE_SOURCE);
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

/** Elements that show something without holding text. */
const SHOWN_WITHOUT_TEXT = /<(?:audio|hr|iframe|img|picture|table|video)[\s/>]/i;

/** Whether anything would be seen of a text; one this long always shows something. */
export function showsSomething(prose: Prose): boolean {
  if (prose.kind === 'text' || prose.value.length > 2_000) {
    return true;
  }
  return SHOWN_WITHOUT_TEXT.test(prose.value) || plainLine(prose) !== '';
}

/** The text as HTML, not yet safe. */
export function htmlOf(prose: Prose): string {
  const { kind } = prose;
  // What would be cut in the end anyway need not be looked at.
  const value = cutCleanly(prose.value, 2 * LARGEST_BODY_BYTES);
  if (kind === 'html') {
    return value;
  }
  if (kind === 'text') {
    return escapeHtml(value);
  }
  return beginsElement(value) || looksLikeHtml(value) ? value : escapeHtml(value);
}
