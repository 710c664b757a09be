import type { Request, Response } from 'express';
import type { OcsDialect, OcsEnvelope } from './envelope.js';

type OcsFormat = 'json' | 'xml';

export const OCS_ROOTS = ['/ocs/v1.php', '/ocs/v2.php'] as const;

const CONTENT_TYPES: Readonly<Record<OcsFormat, string>> = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
};

export function dialectOf(path: string): OcsDialect {
  if (/^\/ocs\/v1\.php(?:\/|$)/i.test(path)) {
    return 'v1';
  }
  return /^\/ocs\/v2\.php(?:\/|$)/i.test(path) ? 'v2' : 'bare';
}

/** `format=`, then the first format in `Accept`, then the default of the path. */
function formatOf(
  request: Pick<Request, 'path' | 'query' | 'headers'> & { readonly body?: unknown },
): OcsFormat {
  const body: unknown = request.body;
  const inBody =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'format') : undefined;
  return (
    asFormat(inBody) ??
    asFormat(request.query['format']) ??
    acceptedFormat(request.headers.accept) ??
    (dialectOf(request.path) === 'bare' ? 'json' : 'xml')
  );
}

/** Sets the content type. @returns the body */
export function render(envelope: OcsEnvelope, request: Request, response: Response): string {
  const format = formatOf(request);
  response.setHeader('Content-Type', CONTENT_TYPES[format]);
  return format === 'json' ? JSON.stringify(envelope) : toXml(envelope);
}

// Other values are ignored: an app's own parameter may also be named `format`.
function asFormat(value: unknown): OcsFormat | undefined {
  return value === 'json' || value === 'xml' ? value : undefined;
}

function acceptedFormat(accept: string | undefined): OcsFormat | undefined {
  const types = (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase());
  return types
    .map((type) => asFormat(type?.replace(/^application\//, '')))
    .find((format) => format !== undefined);
}

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
