import { clamped, numberOfDigits } from '../../../common/http/loose-inputs.js';
import { plainAddress } from '../../../common/http/plain-address.js';
import { readAddress, type DavAddress } from '../dav-format/dav-address.js';
import {
  childOf,
  DAV,
  elementsOf,
  isNamed,
  NEXTCLOUD,
  OWNCLOUD,
  qualifiedName,
  textOf,
  type XmlElement,
} from '../dav-format/dav-xml.js';
import type { DavRequestContext } from '../dav/request-headers.js';
import { InvalidDavRequest } from '../files.errors.js';
import { readSeconds } from '../properties/properties.js';
import { requestFor, type PropertyRequest } from '../properties/property-request.js';
import type {
  Comparison,
  NodeCondition,
  NodeSearch,
  SearchField,
  SearchOrder,
} from './search.repository.js';

/** A parsed `basicsearch` (RFC 5323). */
export interface SearchRequest extends Omit<NodeSearch, 'folder'> {
  /** The folder to search. */
  readonly scope: DavAddress;
  readonly wanted: PropertyRequest;
}

const MAX_CONDITIONS = 100;
const MAX_LITERAL_CHARACTERS = 1000;

type Kind = 'text' | 'number' | 'time' | 'flag' | 'id';

/** Searchable properties, with the columns and kinds of their values. */
const SEARCHABLE: ReadonlyMap<string, readonly [SearchField, Kind]> = new Map([
  [`{${DAV}}displayname`, ['name', 'text']],
  [`{${DAV}}getcontenttype`, ['mime', 'text']],
  [`{${DAV}}getcontentlength`, ['sizeBytes', 'number']],
  [`{${OWNCLOUD}}size`, ['sizeBytes', 'number']],
  [`{${DAV}}getlastmodified`, ['mtimeSeconds', 'time']],
  [`{${DAV}}creationdate`, ['createdSeconds', 'time']],
  [`{${NEXTCLOUD}}creation_time`, ['createdSeconds', 'time']],
  [`{${NEXTCLOUD}}upload_time`, ['uploadedSeconds', 'time']],
  // Photo apps order by it on hosts of version 31 and newer. It is not read from pictures here.
  [`{${NEXTCLOUD}}metadata-photos-original_date_time`, ['mtimeSeconds', 'time']],
  [`{${OWNCLOUD}}favorite`, ['favorite', 'flag']],
  [`{${OWNCLOUD}}fileid`, ['id', 'id']],
  [`{${OWNCLOUD}}id`, ['id', 'id']],
]);

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ['eq', '='],
  ['lt', '<'],
  ['gt', '>'],
  ['lte', '<='],
  ['gte', '>='],
]);

/** An id that no node has. */
const NO_ID = 0;

/**
 * @throws InvalidDavRequest
 * @throws FileNotFound for files of another user
 */
export function readSearch(body: XmlElement | null, context: DavRequestContext): SearchRequest {
  const search =
    body !== null && isNamed(body, DAV, 'searchrequest') ? childOf(body, DAV, 'basicsearch') : null;
  const from = search && childOf(search, DAV, 'from');
  const scope = from && childOf(from, DAV, 'scope');
  const href = scope && childOf(scope, DAV, 'href');
  const select = search && childOf(search, DAV, 'select');
  const prop = select && childOf(select, DAV, 'prop');
  if (!search || !scope || !href || !prop) {
    throw new InvalidDavRequest(
      'A SEARCH needs a searchrequest with a basicsearch that has select and from.',
    );
  }
  const where = childOf(search, DAV, 'where');
  return {
    scope: readScope(textOf(href), context),
    depth: readScopeDepth(scope),
    wanted: requestFor(prop),
    condition: readWhere(where),
    order: readOrder(search),
    limit: readLimit(search),
  };
}

/** Clients send an absolute URL, a path, or a path below `/remote.php/dav`; encoded or not. */
function readScope(text: string, { userId, root }: DavRequestContext): DavAddress {
  const isWhole = /^https?:\/\//i.test(text) && URL.canParse(text);
  const path = isWhole ? new URL(text).pathname : text;
  const plain = plainAddress(`/${path}`, root);
  const place = /^\/remote\.php\//i.test(plain) ? plain : `/remote.php/dav${plain}`;
  const names = place.split('/').map((name) => encodeURIComponent(decoded(name)));
  return readAddress(names.join('/'), userId);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function readScopeDepth(scope: XmlElement): SearchRequest['depth'] {
  const depth = textOf(childOf(scope, DAV, 'depth') ?? scope).toLowerCase();
  return depth === '0' || depth === '1' ? depth : 'infinity';
}

function readWhere(where: XmlElement | null): NodeCondition {
  const elements = where === null ? [] : elementsOf(where);
  let left = MAX_CONDITIONS;
  const read = (element: XmlElement): NodeCondition => {
    if ((left -= 1) < 0) {
      throw new InvalidDavRequest(`A search has at most ${MAX_CONDITIONS} conditions.`);
    }
    const inner = elementsOf(element);
    switch (element.namespace === DAV ? element.name : '') {
      case 'and':
        return { kind: 'all', parts: inner.map(read) };
      case 'or':
        return { kind: 'any', parts: inner.map(read) };
      case 'not':
        return { kind: 'not', part: { kind: 'all', parts: inner.map(read) } };
      case 'is-collection':
        return { kind: 'isFolder' };
      default:
        return readCondition(element);
    }
  };
  return { kind: 'all', parts: elements.map(read) };
}

function readCondition(element: XmlElement): NodeCondition {
  const comparison = element.namespace === DAV ? COMPARISONS.get(element.name) : undefined;
  const literal = childOf(element, DAV, 'literal');
  const isLike = isNamed(element, DAV, 'like');
  if ((comparison === undefined && !isLike) || literal === null) {
    throw new InvalidDavRequest(`Unsupported search condition "${element.name}".`);
  }
  const [field, kind] = readField(element);
  const text = textOf(literal);
  if (text.length > MAX_LITERAL_CHARACTERS) {
    throw new InvalidDavRequest(
      `A literal in a search has at most ${MAX_LITERAL_CHARACTERS} characters.`,
    );
  }
  if (comparison !== undefined) {
    return { kind: 'compare', field, comparison, value: readLiteral(text, kind) };
  }
  if (field !== 'name' && field !== 'mime') {
    throw new InvalidDavRequest('"like" is supported for displayname and getcontenttype only.');
  }
  return { kind: 'like', field, pattern: readName(text) };
}

function readField(element: XmlElement): readonly [SearchField, Kind] {
  const prop = childOf(element, DAV, 'prop');
  const [property] = prop === null ? [] : elementsOf(prop);
  const field = property && SEARCHABLE.get(qualifiedName(property));
  if (field === undefined) {
    throw new InvalidDavRequest(
      `Files cannot be searched by "${property?.name ?? ''}", only by displayname, getcontenttype, ` +
        'getlastmodified, size, favorite and fileid.',
    );
  }
  return field;
}

function readLiteral(text: string, kind: Kind): string | number | boolean {
  switch (kind) {
    case 'text':
      return readName(text);
    case 'flag':
      return /^(?:1|true|yes)$/i.test(text);
    case 'id':
      return readId(text);
    case 'number':
      return known(/^-?\d+(?:\.\d+)?$/.test(text) ? clamped(Math.floor(Number(text))) : null, text);
    case 'time':
      return known(numberOfDigits(text) ?? readSeconds(text), text);
  }
}

/** Normalised like stored names, see `toFilePath`. */
function readName(text: string): string {
  return text.toWellFormed().normalize('NFC').replaceAll('\0', '');
}

/** Accepts a plain number and the form of `oc:id`: leading zeros, then the instance id. */
function readId(text: string): number {
  const [, digits] = /^(\d+)/.exec(text) ?? [];
  return numberOfDigits(digits) ?? NO_ID;
}

function known(value: number | null, text: string): number {
  if (value === null) {
    throw new InvalidDavRequest(`"${text}" cannot be compared with this property.`);
  }
  return value;
}

function readOrder(search: XmlElement): SearchOrder[] {
  const orderBy = childOf(search, DAV, 'orderby');
  return (orderBy === null ? [] : elementsOf(orderBy)).map((order) => ({
    field: readField(order)[0],
    descending: childOf(order, DAV, 'descending') !== null,
  }));
}

function readLimit(search: XmlElement): number {
  const limit = childOf(search, DAV, 'limit');
  const results = limit && childOf(limit, DAV, 'nresults');
  const text = results === null ? '' : textOf(results);
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Infinity;
}
