import { Turns } from '../../common/turns.js';
import { foldText, JOINED, WORD_CLASS } from '../query/folded-text.js';

/** A feed that somebody who knows no address may want. */
export interface Suggestion {
  readonly title: string;
  readonly url: string;
  /** Its website; may be empty. */
  readonly link: string;
  readonly language: string | null;
  readonly topics: readonly string[];
  /** A sentence for the reader of the suggestion; null for a feed of their own. */
  readonly reason: string | null;
  /** The followed feed; null otherwise. */
  readonly feedId: number | null;
}

/** A suggestion with the words by which it is found. */
export interface Indexed {
  readonly suggestion: Suggestion;
  /** Words between spaces, folded; the first begins behind a space. */
  readonly name: string;
  readonly nameAndHost: string;
  readonly all: string;
  /** Of equally good ones the higher comes first. */
  readonly weight: number;
}

const LONGEST_NAME = 200;
const MOST_WORDS = 8;
const WORDS = new RegExp(`[${WORD_CLASS}]+`, 'gu');

export function indexed(suggestion: Suggestion, weight: number): Indexed {
  const { title, link, url, topics } = suggestion;
  const name = spaced(title);
  const nameAndHost = name + spaced(URL.parse(link || url)?.hostname ?? '');
  return { suggestion, name, nameAndHost, all: nameAndHost + spaced(topics.join(' ')), weight };
}

/**
 * Those that have all words, the best first: the name begins with them, has them, has them with the host, or
 * has them with the topics. Of these, feeds in the language come first.
 */
export async function best(
  entries: readonly Indexed[],
  sought: string,
  language: string,
  most: number,
): Promise<Indexed[]> {
  const whole = spaced(sought);
  const words = [...new Set(whole.split(' ').filter(Boolean))].slice(0, MOST_WORDS);
  const found: { readonly entry: Indexed; readonly rank: number }[] = [];
  const turns = new Turns();
  for (const [n, entry] of words.length === 0 ? [] : entries.entries()) {
    if (n % 256 === 0) {
      await turns.take();
    }
    const rank = rankOf(entry, whole, words);
    if (rank > 0) {
      found.push({ entry, rank: rank + (entry.suggestion.language === language ? 0.5 : 0) });
    }
  }
  return found
    .toSorted((a, b) => b.rank - a.rank || b.entry.weight - a.entry.weight)
    .slice(0, most)
    .map(({ entry }) => entry);
}

function rankOf({ name, nameAndHost, all }: Indexed, whole: string, words: readonly string[]) {
  const hasAll = (text: string) => words.every((word) => hasWord(text, word));
  if (!hasAll(all)) {
    return 0;
  }
  return name.startsWith(whole) ? 4 : hasAll(name) ? 3 : hasAll(nameAndHost) ? 2 : 1;
}

/** Where words are not parted by spaces, one may begin anywhere. */
const hasWord = (text: string, word: string): boolean =>
  text.includes(JOINED.test(word) ? word : ` ${word}`);

function spaced(text: string): string {
  const { bare } = foldText(text.slice(0, LONGEST_NAME).toWellFormed());
  return (bare.match(WORDS) ?? []).map((word) => ` ${word}`).join('');
}
