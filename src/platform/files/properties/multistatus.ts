import type { Response } from 'express';
import { sendStream } from '../../../common/http/send-stream.js';
import { DAV, escapeXml, NEXTCLOUD, OWNCLOUD } from '../dav-format/dav-xml.js';
import { LIVE_PROPERTIES, type PropertyContext, type ShownNode } from './properties.js';
import { namesFor, type PropertyRequest } from './property-request.js';

const NAMESPACES = `xmlns:d="${DAV}" xmlns:oc="${OWNCLOUD}" xmlns:nc="${NEXTCLOUD}"`;
const PREFIXES: ReadonlyMap<string, string> = new Map([
  [DAV, 'd'],
  [OWNCLOUD, 'oc'],
  [NEXTCLOUD, 'nc'],
]);

export const XML_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n';

/** A `d:propstat`: properties that share a status. */
export interface PropertyStatus {
  readonly status:
    | '200 OK'
    | '403 Forbidden'
    | '404 Not Found'
    | '409 Conflict'
    | '424 Failed Dependency'
    | '507 Insufficient Storage';
  /** XML of the property elements. */
  readonly elements: readonly string[];
}

/** The XML of a property, with the usual prefix of its namespace if it has one. */
export function propertyElement(qualified: string, value: string): string {
  const end = qualified.indexOf('}');
  const namespace = qualified.slice(1, end);
  const name = qualified.slice(end + 1);
  const prefix = PREFIXES.get(namespace);
  const [tag, declaration] =
    prefix === undefined
      ? namespace === ''
        ? [name, '']
        : [`x:${name}`, ` xmlns:x="${escapeXml(namespace)}"`]
      : [`${prefix}:${name}`, ''];
  return value === '' ? `<${tag}${declaration}/>` : `<${tag}${declaration}>${value}</${tag}>`;
}

/** The `d:response` of one node: found properties with 200, missing ones with 404. */
export function nodeResponse(
  shown: ShownNode,
  request: PropertyRequest,
  context: PropertyContext,
  href = context.addressOf(shown.path, shown.node.isFolder),
): string {
  const found: string[] = [];
  const missing: string[] = [];
  for (const name of namesFor(request, shown.node)) {
    const live = LIVE_PROPERTIES.get(name);
    const dead = Object.hasOwn(shown.node.deadProperties, name)
      ? shown.node.deadProperties[name]
      : undefined;
    const value = live === undefined ? dead : live.show(shown, context);
    if (value !== undefined) {
      found.push(propertyElement(name, request.namesOnly ? '' : value));
    } else if (request.tellMissing) {
      missing.push(propertyElement(name, ''));
    }
  }
  return response(href, [
    ...(found.length > 0 || missing.length === 0
      ? [{ status: '200 OK', elements: found } as const]
      : []),
    ...(missing.length > 0 ? [{ status: '404 Not Found', elements: missing } as const] : []),
  ]);
}

export function response(href: string, statuses: readonly PropertyStatus[]): string {
  const propstats = statuses.map(
    ({ status, elements }) =>
      `<d:propstat><d:prop>${elements.join('')}</d:prop>` +
      `<d:status>HTTP/1.1 ${status}</d:status></d:propstat>`,
  );
  return `<d:response><d:href>${escapeXml(href)}</d:href>${propstats.join('')}</d:response>\n`;
}

/**
 * Streams a multistatus, so that a folder of any size needs the memory of one page. The first chunk
 * is awaited before the status is sent; a failure after that closes the connection.
 */
export async function sendMultistatus(
  answer: Response,
  responses: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  async function* chunks() {
    let text = `${XML_HEAD}<d:multistatus ${NAMESPACES}>\n`;
    for await (const piece of responses) {
      yield text + piece;
      text = '';
    }
    yield `${text}</d:multistatus>\n`;
  }
  const pieces = chunks();
  const first = await pieces.next();
  async function* all() {
    yield first.value ?? '';
    yield* pieces;
  }
  answer.status(207).type('application/xml; charset=utf-8');
  await sendStream(answer, all());
}
