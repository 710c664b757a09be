import { decodeReferences } from '../html/character-references.js';
import type { StartTag } from '../html/tag-scanner.js';

/** Limit on nested declarations. */
const MOST_SCOPES = 32;

/** The namespaces declared on one element and, through `parent`, on those around it. */
export interface NamespaceScope {
  readonly prefixes: ReadonlyMap<string, string>;
  readonly parent: NamespaceScope | null;
  readonly depth: number;
}

/** @returns the scope inside the element; the parent's if the element declares nothing */
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

/** @returns null for an undeclared prefix */
export function lookUp(scope: NamespaceScope | null, prefix: string): string | null {
  for (let at = scope; at; at = at.parent) {
    const namespace = at.prefixes.get(prefix);
    if (namespace !== undefined) {
      return namespace;
    }
  }
  return null;
}
