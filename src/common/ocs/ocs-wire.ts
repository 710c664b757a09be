import type { Request, Response } from 'express';
import type { OcsDialect, OcsEnvelope } from './envelope.js';
import { toXml } from './ocs-xml.js';

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
