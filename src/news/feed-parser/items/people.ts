import { withoutTags } from '../html/plain-text.js';

export const LONGEST_PERSON = 1_000;
const MOST_AUTHORS = 20;

/** At least one of both is not null. */
export interface Person {
  readonly name: string | null;
  readonly email: string | null;
}

/** The names on one line; the first email address if there is no name. */
export function namesOf(people: readonly Person[]): string | null {
  const names = people.map(({ name }) => name).filter((name) => name !== null);
  const addresses = people.map(({ email }) => email).filter((email) => email !== null);
  const shown = names.length > 0 ? names : addresses.slice(0, 1);
  const line = [...new Set(shown)]
    .slice(0, MOST_AUTHORS)
    .join(', ')
    .slice(0, LONGEST_PERSON)
    .toWellFormed();
  return line === '' ? null : withoutTags(line);
}

/**
 * Reads one line about people: `a@b.org (Ann)`, `Ann <a@b.org>`, `Ann (a@b.org)`, `Ann` or just
 * the address. Commas separate people only if each part has an address.
 */
export function readPeople(line: string): Person[] {
  const plain = line.slice(0, LONGEST_PERSON).trim();
  if (plain === '') {
    return [];
  }
  const parts = plain.split(/\s*[,;]\s*/);
  const isList = parts.length > 1 && parts.every((part) => addressWithin(part) !== null);
  return (isList ? parts : [plain]).map(readPerson);
}

function readPerson(plain: string): Person {
  const inParentheses = /^(?:mailto:)?([^()<>]*?)\s*\(([^()]*)\)$/i.exec(plain);
  const inBrackets = /^([^<>]*?)\s*<([^<>]*)>$/.exec(plain);
  const found = inParentheses ?? inBrackets;
  if (found) {
    const first = withoutQuotes(found[1] ?? '');
    const second = withoutQuotes((found[2] ?? '').replace(/^mailto:/i, ''));
    if (isEmail(first)) {
      return { name: second === '' || isEmail(second) ? null : second, email: first };
    }
    if (isEmail(second)) {
      return { name: first === '' ? null : first, email: second };
    }
    if (first === '' && second !== '') {
      return { name: second, email: null };
    }
  }
  const email = addressWithin(plain) ?? (isEmail(plain) ? plain : null);
  if (email === null) {
    return { name: withoutQuotes(plain), email: null };
  }
  const rest = plain
    .replace(email, ' ')
    .replace(/mailto:/i, ' ')
    .replace(/\?subject=\S*/i, ' ')
    .replace(/\(\s*\)|<\s*>|\[\s*\]/g, ' ')
    .replace(/^[\s,;:|–—\])>-]+|[\s,;:|–—[(<-]+$/g, '');
  const name = withoutQuotes(/^\((.*)\)$/.exec(rest)?.[1] ?? rest);
  return { name: name === '' ? null : name, email };
}

/** The only email address in a text; null for none or several. */
function addressWithin(text: string): string | null {
  const words = text.split(/[\s,;<>()[\]"]+/).map((word) => word.replace(/^mailto:|\?.*$/gi, ''));
  const addresses = words.filter((word) => isEmail(word) && /@.*\../.test(word));
  return addresses.length === 1 ? (addresses[0] ?? null) : null;
}

function withoutQuotes(text: string): string {
  return text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
}

function isEmail(text: string): boolean {
  return /^[^\s@<>()]+@[^\s@<>()]+$/.test(text);
}
