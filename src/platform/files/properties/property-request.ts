import {
  childOf,
  DAV,
  elementsOf,
  isNamed,
  qualifiedName,
  type XmlElement,
} from '../dav-format/dav-xml.js';
import { InvalidDavRequest } from '../files.errors.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { LIVE_PROPERTIES } from './properties.js';

/** The requested properties. */
export interface PropertyRequest {
  /** Qualified names. */
  readonly names: readonly string[];
  /** Whether to add all dead properties of the node. */
  readonly withDead: boolean;
  /** `propname`: names without values. */
  readonly namesOnly: boolean;
  /** Whether to list missing properties with 404. */
  readonly tellMissing: boolean;
}

const BASIC = [...LIVE_PROPERTIES].flatMap(([name, { inAll }]) => (inAll === true ? name : []));

const ALL: PropertyRequest = {
  names: BASIC,
  withDead: true,
  namesOnly: false,
  tellMissing: false,
};

/**
 * @param body of a PROPFIND; null means `allprop`
 * @throws InvalidDavRequest
 */
export function readPropertyRequest(body: XmlElement | null): PropertyRequest {
  if (body === null) {
    return ALL;
  }
  if (!isNamed(body, DAV, 'propfind')) {
    throw new InvalidDavRequest('The body of a PROPFIND must be a propfind element or empty.');
  }
  if (childOf(body, DAV, 'propname') !== null) {
    return {
      names: [...LIVE_PROPERTIES.keys()],
      withDead: true,
      namesOnly: true,
      tellMissing: false,
    };
  }
  if (childOf(body, DAV, 'allprop') !== null) {
    const included = childOf(body, DAV, 'include');
    return included === null
      ? ALL
      : { ...ALL, names: [...new Set([...BASIC, ...namesIn(included)])] };
  }
  const prop = childOf(body, DAV, 'prop');
  if (prop === null) {
    throw new InvalidDavRequest('A propfind must contain prop, allprop or propname.');
  }
  return requestFor(prop);
}

/** @param prop the element that lists the properties */
export function requestFor(prop: XmlElement): PropertyRequest {
  return { names: namesIn(prop), withDead: false, namesOnly: false, tellMissing: true };
}

/** Qualified names of the properties to look up for one node. */
export function namesFor(request: PropertyRequest, node: StoredNode): readonly string[] {
  return request.withDead
    ? [...new Set([...request.names, ...Object.keys(node.deadProperties)])]
    : request.names;
}

/** The response repeats all names for each member of a folder, so their length is limited. */
const MAX_NAME_CHARACTERS = 16_384;

/** @throws InvalidDavRequest */
function namesIn(prop: XmlElement): string[] {
  const names = [...new Set(elementsOf(prop).map(qualifiedName))];
  if (names.join('').length > MAX_NAME_CHARACTERS) {
    throw new InvalidDavRequest('The request asks for too many properties.');
  }
  return names;
}
