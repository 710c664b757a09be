import { decodeReferences, escapeAttribute, isPredefined } from '../html/character-references.js';
import type { XmlScanner } from './xml-scanner.js';

/** A document may declare this many entities of its own, … */
const MOST_ENTITIES = 64;
/** … each this long, … */
const LONGEST_ENTITY = 1024;
/** … and all their uses together may add this many characters. */
const MOST_EXPANDED = 1024 * 1024;

/**
 * The entities a document declares in its own head. They are replaced once and never within one
 * another, so they cannot multiply; those that live elsewhere are never fetched.
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

  /** Replaces the document's own entities, and only these, in the attributes of a tag. */
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
   * @returns where the document goes on; its end when the declaration never ends
   */
  readDocumentType(scanner: XmlScanner, at: number): number {
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

  #readSubset(scanner: XmlScanner, at: number): number {
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

  #readDeclaration(scanner: XmlScanner, at: number): number {
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
    // XML resolves numbers when it declares and names when it uses.
    this.#values.set(name, decodeReferences(literal));
  }
}

function endOfLiteral(scanner: XmlScanner, at: number): number {
  return behind(scanner, scanner.text.charAt(at), at + 1);
}

function behind(scanner: XmlScanner, wanted: string, from: number): number {
  const found = scanner.find(wanted, from);
  return found === -1 ? scanner.text.length : found + wanted.length;
}
