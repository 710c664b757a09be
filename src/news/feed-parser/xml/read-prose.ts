import { withoutControls } from '../html/character-references.js';
import { looksLikeHtml } from '../html/plain-text.js';
import type { Prose } from '../html/prose.js';
import type { FeedShape } from './feed-vocabulary.js';
import type { XmlNode } from './xml-nodes.js';

/**
 * Reads a text construct of Atom 1.0 or 0.3, or a text of RSS, which has no declared type.
 *
 * @returns null if the element has no visible content
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
  // `text/html`, `application/xhtml+xml` and variants
  if (type.includes('html')) {
    return { kind: mode === 'xml' ? 'text' : 'html', value };
  }
  if (mode === 'escaped' && /^(?:text(?:\/plain)?)?$/.test(type)) {
    return { kind: 'unsaid', value };
  }
  if (type === '') {
    return { kind: shape === 'atom' ? kindOfUntyped(value) : 'unsaid', value };
  }
  if (type === 'text' || type.startsWith('text/')) {
    return { kind: shape === 'atom' ? 'text' : 'unsaid', value };
  }
  if (shape === 'atom' && type.includes('/') && !/[/+]xml$/.test(type)) {
    // Atom requires base64 here, but many publishers write plain text with an invented type.
    const isText = type.startsWith('application/') && !isBase64(value);
    return fromBase64(value, type) ?? (isText ? { kind: 'unsaid', value } : null);
  }
  return { kind: 'unsaid', value };
}

/** Some publishers escape a whole CDATA section. */
function withoutCdataMarks(text: string): string {
  if (!text.startsWith('<![CDATA[')) {
    return text;
  }
  return text.replaceAll('<![CDATA[', '').replaceAll(']]>', '').trim();
}

/** Untyped text is plain in Atom; only complete elements prove otherwise. */
function kindOfUntyped(value: string): 'text' | 'unsaid' {
  return /<\/\w|<(?:br|img)\b/i.test(value) && looksLikeHtml(value) ? 'unsaid' : 'text';
}

/** Shorter ones may be ordinary words. */
const SHORTEST_ENCODED = 64;

/** Whether a text is base64: long, and in lines of equal length. */
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
  // Binary data such as a picture or an archive.
  // oxlint-disable-next-line no-control-regex
  if (/[\uFFFD\u0000-\u0008\u000E-\u001F]/.test(text)) {
    return null;
  }
  const kind = type === 'text' || type === 'text/plain' ? 'text' : 'html';
  return { kind, value: withoutControls(text) };
}
