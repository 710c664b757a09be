import { lineOf } from '../html/prose.js';
import { LONGEST_PERSON, namesOf, readPeople, type Person } from '../items/people.js';
import { words } from '../words.js';
import type { FeedShape } from './feed-vocabulary.js';
import { readProse } from './read-prose.js';
import type { XmlNode } from './xml-nodes.js';

/** Elements with the authors of an item, in order of precedence. */
const OF_ITEM = words(`
  author atom:author dc:creator dc:author dcterms:creator itunes:author googleplay:author`);

const OF_FEED = words(`
  author atom:author managingeditor dc:creator dc:author itunes:author googleplay:author`);

/** @returns the authors of an item; null if it names none */
export function authorsOfItem(item: XmlNode, shape: FeedShape): string | null {
  const own = authorsAmong(item, OF_ITEM, shape) ?? credited(item, shape);
  if (own !== null) {
    return own;
  }
  const [source] = item.all('source', 'atom:source');
  return source ? authorsAmong(source, ['author', 'atom:author'], shape) : null;
}

/** @returns the authors of a whole feed */
export function authorsOfFeed(feed: XmlNode, shape: FeedShape): string | null {
  return authorsAmong(feed, OF_FEED, shape);
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
  // HTML in a name is a mistake, often double escaping.
  return prose ? lineOf({ kind: 'unsaid', value: prose.value }, LONGEST_PERSON) : null;
}
