import { decodeReferences } from '../html/character-references.js';
import type { StartTag } from './xml-scanner.js';

/** Declarations within one another; no feed needs more than a handful. */
const MOST_SCOPES = 32;

/** The namespaces declared on one element and, through `parent`, on those around it. */
export interface NamespaceScope {
  readonly prefixes: ReadonlyMap<string, string>;
  readonly parent: NamespaceScope | null;
  readonly depth: number;
}

/** @returns the scope inside of an element, which is that around it when it declares nothing */
export function declareNamespaces(
  tag: StartTag,
  parent: NamespaceScope | null,
): NamespaceScope | null {
  let prefixes: Map<string, string> | null = null;
  for (const [name, value] of tag.attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) {
      continue;
    }
    prefixes ??= new Map();
    prefixes.set(name.slice(6), decodeReferences(value).trim());
  }
  const depth = (parent?.depth ?? 0) + 1;
  if (!prefixes || depth > MOST_SCOPES) {
    return parent;
  }
  return { prefixes, parent, depth };
}

/** @returns null when the prefix was never declared */
export function lookUp(scope: NamespaceScope | null, prefix: string): string | null {
  for (let at = scope; at; at = at.parent) {
    const namespace = at.prefixes.get(prefix);
    if (namespace !== undefined) {
      return namespace;
    }
  }
  return null;
}
