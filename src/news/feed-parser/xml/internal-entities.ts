import { decodeReferences, escapeAttribute, isPredefined } from '../html/character-references.js';
import type { TagScanner } from '../html/tag-scanner.js';

/** Limits: entities per document, … */
const MOST_ENTITIES = 64;
/** … characters of each, … */
const LONGEST_ENTITY = 1024;
/** … and characters that all their uses add. */
const MOST_EXPANDED = 1024 * 1024;

/**
 * Entities declared in the document type. Expanded once and not recursively, so that they cannot
 * multiply; external entities are never fetched.
 */
export class InternalEntities {
  readonly #values = new Map<string, string>();
  #expanded = 0;

  get declared(): boolean {
    return this.#values.size > 0;
  }

  readonly valueOf = (name: string): string | null => {
    const value = this.#values.get(name);
    if (value === undefined) {
      return null;
    }
    if (this.#expanded + value.length > MOST_EXPANDED) {
      return null;
    }
    this.#expanded += value.length;
    return value;
  };

  /** Expands declared entities, and no others, in the attributes of a tag. */
  replaceIn(attributes: string): string {
    if (!this.declared || !attributes.includes('&')) {
      return attributes;
    }
    return attributes.replace(/&([\w.:-]{1,64});/g, (reference, name: string) => {
      const value = isPredefined(name) ? null : this.valueOf(name);
      return value === null ? reference : escapeAttribute(value);
    });
  }

  /**
   * Reads the declarations of a document type and finds its end.
   *
   * @param at position of its `<`
   * @returns the position after it; the end of the document for an unterminated declaration
   */
  readDocumentType(scanner: TagScanner, at: number): number {
    const { text } = scanner;
    let i = at + 2;
    while (i < text.length) {
      const character = text.charAt(i);
      if (character === '>') {
        return i + 1;
      }
      if (character === '[') {
        i = this.#readSubset(scanner, i + 1);
      } else if (character === '"' || character === "'") {
        i = endOfLiteral(scanner, i);
      } else if (character === '<') {
        return i;
      } else {
        i += 1;
      }
    }
    return i;
  }

  #readSubset(scanner: TagScanner, at: number): number {
    const { text } = scanner;
    let i = at;
    while (i < text.length) {
      const character = text.charAt(i);
      if (character === ']') {
        return i + 1;
      }
      if (text.startsWith('<!--', i)) {
        i = behind(scanner, '-->', i + 4);
      } else if (text.startsWith('<?', i)) {
        i = behind(scanner, '?>', i + 2);
      } else if (text.startsWith('<!', i)) {
        i = this.#readDeclaration(scanner, i);
      } else if (character === '<') {
        return i;
      } else {
        i += 1;
      }
    }
    return i;
  }

  #readDeclaration(scanner: TagScanner, at: number): number {
    const { text } = scanner;
    const head = /^<!ENTITY\s+([\w.:-]{1,64})\s+(?=["'])/i.exec(text.slice(at, at + 200));
    let i = at + (head?.[0].length ?? 2);
    if (head?.[1]) {
      const end = endOfLiteral(scanner, i);
      this.#remember(head[1], text.slice(i + 1, end - 1));
      i = end;
    }
    while (i < text.length) {
      const character = text.charAt(i);
      if (character === '>') {
        return i + 1;
      }
      if (character === '"' || character === "'") {
        i = endOfLiteral(scanner, i);
      } else {
        i += 1;
      }
    }
    return i;
  }

  #remember(name: string, literal: string): void {
    if (this.#values.size >= MOST_ENTITIES || literal.length > LONGEST_ENTITY) {
      return;
    }
    if (this.#values.has(name)) {
      return;
    }
    // XML expands numeric references in the declaration, names on use.
    this.#values.set(name, decodeReferences(literal));
  }
}

function endOfLiteral(scanner: TagScanner, at: number): number {
  return behind(scanner, scanner.text.charAt(at), at + 1);
}

function behind(scanner: TagScanner, wanted: string, from: number): number {
  const found = scanner.find(wanted, from);
  return found === -1 ? scanner.text.length : found + wanted.length;
}
