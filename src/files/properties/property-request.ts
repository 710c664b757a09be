import { InvalidDavRequest } from '../files.errors.js';
import type { StoredNode } from '../tree/nodes.repository.js';
import {
  childOf,
  DAV,
  elementsOf,
  isNamed,
  qualifiedName,
  type XmlElement,
} from '../dav/dav-xml.js';
import { LIVE_PROPERTIES } from './properties.js';

/** Which properties a client wants to see. */
export interface PropertyRequest {
  /** Qualified names; of "all" those that we have for every node. */
  readonly names: readonly string[];
  /** Whether to add whatever else clients keep with a node. */
  readonly withDead: boolean;
  /** Whether only the names are wanted. */
  readonly namesOnly: boolean;
  /** Whether it is worth saying that there is no such property. */
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
 * @param body of a PROPFIND; without one, all properties are asked for
 * @throws InvalidDavRequest
 */
export function readPropertyRequest(body: XmlElement | null): PropertyRequest {
  if (body === null) {
    return ALL;
  }
  if (!isNamed(body, DAV, 'propfind')) {
    throw new InvalidDavRequest('A PROPFIND has a body with the element propfind, or none.');
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
    throw new InvalidDavRequest('A propfind holds one of prop, allprop and propname.');
  }
  return requestFor(prop);
}

/**
 * @param prop the element that lists them
 * @throws InvalidDavRequest
 */
export function requestFor(prop: XmlElement): PropertyRequest {
  return { names: namesIn(prop), withDead: false, namesOnly: false, tellMissing: true };
}

/** What there is to say about one node. */
export function namesFor(request: PropertyRequest, node: StoredNode): readonly string[] {
  return request.withDead
    ? [...new Set([...request.names, ...Object.keys(node.deadProperties)])]
    : request.names;
}

/** Far more than any client asks for. Each member of a folder is answered with all of them. */
const MOST_NAME_CHARACTERS = 16_384;

/** @throws InvalidDavRequest */
function namesIn(prop: XmlElement): string[] {
  const names = [...new Set(elementsOf(prop).map(qualifiedName))];
  if (names.join('').length > MOST_NAME_CHARACTERS) {
    throw new InvalidDavRequest('The request asks for too many properties at once.');
  }
  return names;
}
