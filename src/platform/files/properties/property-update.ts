import {
  childOf,
  DAV,
  elementsOf,
  innerXml,
  isNamed,
  qualifiedName,
  textOf,
  type XmlElement,
} from '../dav-format/dav-xml.js';
import { InvalidDavRequest } from '../files.errors.js';
import type { NodeChange, StoredNode } from '../tree/nodes.sql.js';
import { propertyElement, type PropertyStatus } from './multistatus.js';
import { LIVE_PROPERTIES } from './properties.js';

/** One instruction of a PROPPATCH. */
interface PropertyInstruction {
  readonly name: string;
  /** The new value; null removes the property. */
  readonly value: XmlElement | null;
}

export interface PropertyVerdict {
  /** Empty when any instruction is refused. */
  readonly change: NodeChange;
  readonly statuses: readonly PropertyStatus[];
}

/** All dead properties of one node together. */
const MAX_DEAD_BYTES = 64 * 1024;

/**
 * @param body of a PROPPATCH
 * @throws InvalidDavRequest
 */
export function readPropertyUpdate(body: XmlElement | null): PropertyInstruction[] {
  if (body === null || !isNamed(body, DAV, 'propertyupdate')) {
    throw new InvalidDavRequest('The body of a PROPPATCH must be a propertyupdate element.');
  }
  return elementsOf(body).flatMap((step) => {
    const removes = isNamed(step, DAV, 'remove');
    const prop = removes || isNamed(step, DAV, 'set') ? childOf(step, DAV, 'prop') : null;
    return (prop === null ? [] : elementsOf(prop)).map((property) => ({
      name: qualifiedName(property),
      value: removes ? null : property,
    }));
  });
}

/** Applies all instructions or none (RFC 4918, section 9.2). */
export function decideUpdate(
  instructions: readonly PropertyInstruction[],
  node: StoredNode,
): PropertyVerdict {
  const refused = new Map<string, PropertyStatus['status']>();
  const dead = new Map(Object.entries(node.deadProperties));
  const changes: NodeChange[] = [];
  for (const { name, value } of instructions) {
    const live = LIVE_PROPERTIES.get(name);
    if (live === undefined) {
      setDead(dead, name, value);
      continue;
    }
    const change = live.read?.(value === null ? '' : textOf(value));
    if (change) {
      changes.push(change);
      continue;
    }
    refused.set(name, change === null ? '409 Conflict' : '403 Forbidden');
  }
  const deadProperties = Object.fromEntries(dead);
  if (Buffer.byteLength(JSON.stringify(deadProperties)) > MAX_DEAD_BYTES) {
    for (const { name } of instructions) {
      refused.set(name, '507 Insufficient Storage');
    }
  }
  const names = [...new Set(instructions.map(({ name }) => name))];
  if (refused.size === 0) {
    const change: NodeChange = Object.assign({}, ...changes, { deadProperties });
    return { change, statuses: grouped(names, () => '200 OK') };
  }
  return {
    change: {},
    statuses: grouped(names, (name) => refused.get(name) ?? '424 Failed Dependency'),
  };
}

function setDead(dead: Map<string, string>, name: string, value: XmlElement | null): void {
  if (value === null) {
    dead.delete(name);
    return;
  }
  dead.set(name, innerXml(value));
}

function grouped(
  names: readonly string[],
  statusOf: (name: string) => PropertyStatus['status'],
): PropertyStatus[] {
  const groups = Map.groupBy(names, statusOf);
  return [...groups].map(([status, members]) => ({
    status,
    elements: members.map((name) => propertyElement(name, '')),
  }));
}
