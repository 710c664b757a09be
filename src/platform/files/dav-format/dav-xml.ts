import { PayloadTooLargeException } from '@nestjs/common';
import { escapeUTF8 } from 'entities';
import type { Request } from 'express';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { inputBodiesOf } from '../../../common/http/input-bodies.js';
import { InvalidDavRequest } from '../files.errors.js';

export const DAV = 'DAV:';
export const OWNCLOUD = 'http://owncloud.org/ns';
export const NEXTCLOUD = 'http://nextcloud.org/ns';

/** An element with its resolved namespace. */
export interface XmlElement {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

/** Twice the properties that a file may have. Clients send a few KiB. */
const MAX_BYTES = 128 * 1024;
/** Twice what the longest list of names holds. Each costs microseconds: all of them about 20 ms. */
const MAX_MARKS = 2000;
const MAX_NESTED_TAGS = 50;

/** The beginning of an element, a comment or the like, or the value of an attribute. */
const MARK = /<(?!\/)|=\s*["']/;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  htmlEntities: true,
  maxNestedTags: MAX_NESTED_TAGS,
});

type ParsedNode = Readonly<Record<string, unknown>>;

/** Namespaces by prefix. Nested without copying: each element may declare thousands. */
class Scope {
  readonly #own = new Map<string, string>();

  constructor(private readonly outer?: Scope) {}

  declare(prefix: string, namespace: string): void {
    this.#own.set(prefix, namespace);
  }

  namespaceOf(prefix: string): string | undefined {
    return this.#own.get(prefix) ?? this.outer?.namespaceOf(prefix);
  }
}

/**
 * Reads the body of a request. Counts for its sender, and is parsed when it is the sender's turn.
 *
 * @returns null without a body
 * @throws InvalidDavRequest
 * @throws PayloadTooLargeException for too many bytes, elements or attributes
 */
export async function readXml(request: Request): Promise<XmlElement | null> {
  const bytes = await inputBodiesOf(request).readInTurn(request, MAX_BYTES);
  const xml = new TextDecoder().decode(bytes);
  if (xml.split(MARK, MAX_MARKS + 2).length > MAX_MARKS + 1) {
    throw new PayloadTooLargeException(
      `The request body has more than ${MAX_MARKS} elements and attributes.`,
    );
  }
  return xml.trim() === '' ? null : parseXml(xml);
}

/** @throws InvalidDavRequest */
function parseXml(text: string): XmlElement {
  // WebDAV needs no document type, and entities allow XXE and expansion attacks.
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) {
    throw new InvalidDavRequest('The request body must not have a document type.');
  }
  const scope = new Scope();
  scope.declare('xml', 'xml');
  const roots = parseNodes(text).map((node) => toElement(node, scope));
  const root = roots.find((node) => typeof node !== 'string');
  if (root === undefined) {
    throw new InvalidDavRequest('The request body is not XML.');
  }
  return root;
}

function parseNodes(text: string): ParsedNode[] {
  const valid = XMLValidator.validate(text);
  if (valid !== true) {
    throw new InvalidDavRequest(`The request body is not XML: ${valid.err.msg}`);
  }
  try {
    return parser.parse(text) as ParsedNode[];
  } catch (error) {
    throw new InvalidDavRequest(`The request body is not XML: ${(error as Error).message}.`);
  }
}

function toElement(node: ParsedNode, outer: Scope): XmlElement | string {
  const tag = Object.keys(node).find((key) => key !== ':@') ?? '#text';
  if (tag === '#text') {
    return String(node['#text'] ?? '');
  }
  const attributes = (node[':@'] ?? {}) as Record<string, string>;
  const scope = new Scope(outer);
  const own: [string, string][] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const [, prefix] = /^xmlns(?::(.+))?$/.exec(name) ?? [];
    if (name === 'xmlns' || prefix !== undefined) {
      scope.declare(prefix ?? '', namespaceOf(prefix, String(value)));
    } else {
      own.push([name, String(value)]);
    }
  }
  const colon = tag.indexOf(':');
  const prefix = colon < 0 ? '' : tag.slice(0, colon);
  const namespace = scope.namespaceOf(prefix) ?? (prefix === '' ? '' : undefined);
  if (namespace === undefined) {
    throw new InvalidDavRequest(`The request body uses the undeclared prefix "${prefix}:".`);
  }
  const name = tag.slice(colon + 1);
  if (name.includes(':')) {
    throw new InvalidDavRequest(`The request body has an invalid element name "${tag}".`);
  }
  return {
    namespace,
    name,
    attributes: Object.fromEntries(own),
    children: (node[tag] as ParsedNode[]).map((child) => toElement(child, scope)),
  };
}

function namespaceOf(prefix: string | undefined, value: string): string {
  if (prefix !== undefined && value === '') {
    throw new InvalidDavRequest(`The request body declares "${prefix}:" with an empty namespace.`);
  }
  return value;
}

/** Child elements, without text. */
export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => typeof child !== 'string');
}

export function childOf(element: XmlElement, namespace: string, name: string): XmlElement | null {
  return elementsOf(element).find((child) => isNamed(child, namespace, name)) ?? null;
}

export function isNamed(element: XmlElement, namespace: string, name: string): boolean {
  return element.namespace === namespace && element.name === name;
}

/** Text directly inside the element, trimmed. */
export function textOf({ children }: XmlElement): string {
  return children
    .filter((child) => typeof child === 'string')
    .join('')
    .trim();
}

/** `{namespace}name`: the key of a property. */
export function qualifiedName({ namespace, name }: Pick<XmlElement, 'namespace' | 'name'>): string {
  return `{${namespace}}${name}`;
}

/** The content of an element as XML that declares all of its namespaces itself. */
export function innerXml({ children }: XmlElement): string {
  return children
    .map((child) => (typeof child === 'string' ? escapeXml(child) : outerXml(child)))
    .join('');
}

function outerXml(element: XmlElement): string {
  const attributes = Object.entries(element.attributes)
    // Prefixes of attributes are not declared in the output.
    .filter(([name]) => !name.includes(':') || name.startsWith('xml:'))
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
  const start = `<${element.name} xmlns="${escapeXml(element.namespace)}"${attributes}`;
  const inner = innerXml(element);
  return inner === '' ? `${start}/>` : `${start}>${inner}</${element.name}>`;
}

/** Characters that XML 1.0 cannot hold, not even escaped. */
// oxlint-disable-next-line no-control-regex
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export function escapeXml(value: string): string {
  return escapeUTF8(value.toWellFormed().replace(NOT_IN_XML, ''));
}
