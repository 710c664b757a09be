import type { OcsEnvelope } from './envelope.js';

/**
 * The envelope as XML. Without an XML builder: lists become `<element>` children at any depth, and
 * names and texts are untrusted, while builders repeat the list's name, do not validate tag names,
 * and emit characters that are invalid in XML.
 */
export function toXml(envelope: OcsEnvelope): string {
  return `<?xml version="1.0"?>\n${node('ocs', envelope.ocs)}\n`;
}

function node(name: string, value: unknown): string {
  const inner = content(value);
  return inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`;
}

function content(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return escapeText(value);
    case 'number':
    case 'bigint':
      return String(value);
    case 'boolean':
      return value ? '1' : '';
    case 'object':
      return children(value);
    default:
      return '';
  }
}

function children(value: object | null): string {
  if (value === null) {
    return '';
  }
  if (Array.isArray(value)) {
    return value.map((entry: unknown) => node('element', entry)).join('');
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  return Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .map(([key, entry]) => node(tagName(key), entry))
    .join('');
}

/** Converts keys to tag names: numbers to `element`, invalid characters are replaced. */
function tagName(key: string): string {
  if (/^\d*$/.test(key)) {
    return 'element';
  }
  const fit = key.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
  return /^[A-Za-z_]/.test(fit) ? fit : `_${fit}`;
}

function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}
