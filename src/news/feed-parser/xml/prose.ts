import { escapeHtml, withoutControls } from '../html/character-references.js';
import { cutCleanly, LARGEST_BODY_BYTES } from '../html/clean-html.js';
import type { FeedShape } from './feed-vocabulary.js';
import {
  beginsElement,
  cutAt,
  looksLikeHtml,
  onOneLine,
  textOfHtml,
  withoutTags,
} from '../html/plain-text.js';
import type { XmlNode } from './xml-nodes.js';

/** A text of a document and whether its publisher meant it as HTML; `unsaid` leaves it to us. */
export interface Prose {
  readonly kind: 'text' | 'html' | 'unsaid';
  readonly value: string;
}

/** Longest text looked at for something that is shown on one line. */
const LONGEST_LINE_SOURCE = 64 * 1024;

/**
 * Reads a text construct of Atom 1.0 or 0.3, or a text of RSS, which says nothing about itself.
 *
 * @returns null when the element holds nothing that could be shown
 */
export function readProse(node: XmlNode, shape: FeedShape): Prose | null {
  const type = (node.attribute('type') ?? '').toLowerCase().split(';', 1)[0]?.trim() ?? '';
  const mode = (node.attribute('mode') ?? '').toLowerCase();
  const value = withoutCdataMarks(node.text);
  if (value === '') {
    return null;
  }
  if (mode === 'base64') {
    return fromBase64(value, type);
  }
  if (type === 'html' || type === 'xhtml') {
    return { kind: 'html', value };
  }
  // `text/html`, `application/xhtml+xml`, and what people write instead
  if (type.includes('html')) {
    return { kind: mode === 'xml' ? 'text' : 'html', value };
  }
  if (type === '') {
    return { kind: shape === 'atom' ? kindOfUntyped(value) : 'unsaid', value };
  }
  if (type === 'text' || type.startsWith('text/')) {
    return { kind: shape === 'atom' ? 'text' : 'unsaid', value };
  }
  if (shape === 'atom' && type.includes('/') && !/[/+]xml$/.test(type)) {
    // Atom wants base64 here; many write their text as it is under a type of their own.
    const isText = type.startsWith('application/') && !isBase64(value);
    return fromBase64(value, type) ?? (isText ? { kind: 'unsaid', value } : null);
  }
  return { kind: 'unsaid', value };
}

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

/** Some publishers escape a CDATA section as if it were part of the text. */
function withoutCdataMarks(text: string): string {
  if (!text.startsWith('<![CDATA[')) {
    return text;
  }
  return text.replaceAll('<![CDATA[', '').replaceAll(']]>', '').trim();
}

/** Atom says that a text without a type is plain; only whole elements prove otherwise. */
function kindOfUntyped(value: string): 'text' | 'unsaid' {
  return /<\/\w|<(?:br|img)\b/i.test(value) && looksLikeHtml(value) ? 'unsaid' : 'text';
}

/** Shorter ones are words that happen to hold nothing else than base64 could. */
const SHORTEST_ENCODED = 64;

/** Whether a text can only be base64: long, and in lines of one length, which words are not. */
function isBase64(value: string): boolean {
  const lines = value.split(/\s+/);
  const isEven = lines.slice(0, -1).every((line) => line.length === lines[0]?.length);
  return isEven && value.length >= SHORTEST_ENCODED && /^[A-Za-z0-9+/_=\s-]*$/.test(value);
}

function fromBase64(value: string, type: string): Prose | null {
  const compact = value.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact)) {
    return type === '' || type.startsWith('text') ? { kind: 'unsaid', value } : null;
  }
  const bytes = Buffer.from(compact, 'base64');
  const text = new TextDecoder().decode(bytes);
  // A picture or an archive is no text, whatever element it stands in.
  // oxlint-disable-next-line no-control-regex
  if (/[\uFFFD\u0000-\u0008\u000E-\u001F]/.test(text)) {
    return null;
  }
  const kind = type === 'text' || type === 'text/plain' ? 'text' : 'html';
  return { kind, value: withoutControls(text) };
}
