import type { FeedShape } from './feed-vocabulary.js';
import { withoutTags } from '../html/plain-text.js';
import { lineOf, readProse } from './prose.js';
import type { XmlNode } from './xml-nodes.js';

const LONGEST_PERSON = 1_000;
const MOST_AUTHORS = 20;

/** A person as a feed names it; at least one of both is there. */
export interface Person {
  readonly name: string | null;
  readonly email: string | null;
}

/** Elements of an item that name who wrote it, the most telling ones first. */
const OF_ITEM = [
  'author',
  'atom:author',
  'dc:creator',
  'dc:author',
  'dcterms:creator',
  'itunes:author',
  'googleplay:author',
];

const OF_FEED = [
  'author',
  'atom:author',
  'managingeditor',
  'dc:creator',
  'dc:author',
  'itunes:author',
  'googleplay:author',
];

/** @returns the names of an item's authors, null when it names none of its own */
export function authorsOfItem(item: XmlNode, shape: FeedShape): string | null {
  const own = authorsAmong(item, OF_ITEM, shape) ?? credited(item, shape);
  if (own !== null) {
    return own;
  }
  const [source] = item.all('source', 'atom:source');
  return source ? authorsAmong(source, ['author', 'atom:author'], shape) : null;
}

/** @returns the names of those who answer for a whole feed */
export function authorsOfFeed(feed: XmlNode, shape: FeedShape): string | null {
  return authorsAmong(feed, OF_FEED, shape);
}

/** The names of these people on one line; an address stands in for a name only for lack of any. */
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
 * the address. Commas part people only where each of them has an address.
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

/** The address that stands among other words, null when there is none or more than one. */
function addressWithin(text: string): string | null {
  const words = text.split(/[\s,;<>()[\]"]+/).map((word) => word.replace(/^mailto:|\?.*$/gi, ''));
  const addresses = words.filter((word) => isEmail(word) && /@.*\../.test(word));
  return addresses.length === 1 ? (addresses[0] ?? null) : null;
}

function authorsAmong(node: XmlNode, names: readonly string[], shape: FeedShape): string | null {
  let onlyAddresses: string | null = null;
  for (const name of names) {
    const people = node.all(name).flatMap((element) => peopleOf(element, shape));
    const line = namesOf(people);
    if (line !== null && people.some((person) => person.name !== null)) {
      return line;
    }
    onlyAddresses ??= line;
  }
  return onlyAddresses;
}

function credited(item: XmlNode, shape: FeedShape): string | null {
  const people = item
    .all('media:credit')
    .filter((credit) => credit.attribute('role')?.toLowerCase() === 'author')
    .flatMap((credit) => peopleOf(credit, shape));
  return namesOf(people);
}

function peopleOf(element: XmlNode, shape: FeedShape): Person[] {
  const name = line(element.all('name', 'atom:name')[0], shape);
  const email = line(element.all('email', 'atom:email')[0], shape);
  if (name === null && email === null) {
    const text = line(element, shape);
    return text === null ? [] : readPeople(text);
  }
  const named = readPeople(name ?? '');
  return named.some((person) => person.name !== null)
    ? named
    : [{ name: null, email: email ?? named[0]?.email ?? null }];
}

function line(element: XmlNode | undefined, shape: FeedShape): string | null {
  const prose = element && readProse(element, shape);
  // Nobody writes HTML into a name on purpose, but many escape it once too often.
  return prose ? lineOf({ kind: 'unsaid', value: prose.value }, LONGEST_PERSON) : null;
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
