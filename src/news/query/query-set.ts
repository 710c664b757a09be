import { Turns } from '../../common/turns.js';
import { missingPlaces } from './bind-places.js';
import { Phrase, PhraseSearch } from './phrase.js';
import {
  compileQuery,
  SeenText,
  Sight,
  type CompiledQuery,
  type QueryOwner,
} from './query-matcher.js';
import type { QueriedArticle, Query } from './query.js';
import { queryHash } from './rule-query.js';

/** Texts whose words are known, so that an article is looked through once for all users who see the same text. */
const MOST_SEEN = 100;

const IN_A_TURN = 50;

/** Many conditions over one article: all words are sought in one pass, equal conditions are one. */
export class QuerySet {
  readonly #numbers = new Map<string, number>();
  readonly #conditions: CompiledQuery[] = [];
  readonly #phrases = new Map<string, Phrase>();
  #search: PhraseSearch | null = null;
  readonly #seen = new Map<string, SeenText>();

  /** @returns the number of the condition: the same for equal ones */
  add(query: Query, owner: QueryOwner): number {
    const key = keyOf(query, owner);
    const known = this.#numbers.get(key);
    if (known !== undefined) {
      return known;
    }
    const number = this.#conditions.length;
    this.#conditions.push(
      compileQuery(query, owner, (find) => {
        const phraseKey = `${find.isPrefix ? '*' : '='}${find.text}`;
        const phrase = this.#phrases.get(phraseKey) ?? new Phrase(find);
        this.#phrases.set(phraseKey, phrase);
        return phrase;
      }),
    );
    this.#numbers.set(key, number);
    this.#search = null;
    return number;
  }

  get size(): number {
    return this.#conditions.length;
  }

  /** Whether one of the conditions may ask for the text of an article. */
  needsText(of: Iterable<number> = this.#conditions.keys()): boolean {
    return [...of].some((number) => this.#conditions[number]?.needsText === true);
  }

  /** The numbers of the conditions that the article matches. @param of of these; else of all */
  async matching(
    article: QueriedArticle,
    now: Date,
    of: Iterable<number> = this.#conditions.keys(),
  ): Promise<ReadonlySet<number>> {
    const turns = new Turns();
    const sight = new Sight(article, now, (text) => this.#see(text));
    const matching = new Set<number>();
    let done = 0;
    for (const number of of) {
      done += 1;
      if (done % IN_A_TURN === 0) {
        await turns.take();
      }
      if (this.#conditions[number]?.holds(sight) === true) {
        matching.add(number);
      }
    }
    return matching;
  }

  #see(text: string): SeenText {
    if (this.#search === null) {
      this.#search = new PhraseSearch(this.#phrases.values());
      this.#seen.clear();
    }
    let seen = this.#seen.get(text);
    if (seen === undefined) {
      if (this.#seen.size >= MOST_SEEN) {
        this.#seen.clear();
      }
      seen = new SeenText(text, this.#search);
      this.#seen.set(text, seen);
    }
    return seen;
  }
}

/** Conditions with the same key match the same articles: the searches that one uses are part of it. */
function keyOf(query: Query, { timeZone, places }: QueryOwner): string {
  const isGone = missingPlaces(query, places).length > 0;
  return isGone ? 'gone' : `${timeZone} ${queryHash(query, places)}`;
}
