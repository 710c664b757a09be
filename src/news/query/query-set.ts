import { Turns } from '../../common/turns.js';
import { missingPlaces } from './bind-places.js';
import { Phrase, PhraseSearch } from './phrase.js';
import {
  compileQuery,
  PARTS_OF_WORDS,
  SeenText,
  Sight,
  type CompiledQuery,
  type QueryOwner,
} from './query-matcher.js';
import type { QueriedArticle, Query } from './query.js';
import { queryHash } from './rule-query.js';

/** Texts whose words are known, so that an article is looked through once for all users who see the same text. */
const MOST_SEEN_CHARACTERS = 500_000;

const IN_A_TURN = 50;

const PARTS_WITHOUT_TEXT = PARTS_OF_WORDS.filter((part) => part !== 'text');

/** Many conditions over one article: all words are sought in one pass, equal conditions are one. */
export class QuerySet {
  readonly #numbers = new Map<string, number>();
  readonly #conditions: CompiledQuery[] = [];
  readonly #all: number[] = [];
  readonly #phrases = new Map<string, Phrase>();
  #characters = 0;
  /** Those that are in no search yet. */
  #fresh: Phrase[] = [];
  /** Each at least twice as large as the next one, so that a phrase is built in seldom. */
  #searches: readonly PhraseSearch[] = [];
  #building: Promise<void> | null = null;
  readonly #seen = new Map<string, SeenText>();
  #seenCharacters = 0;

  /** @returns the number of the condition: the same for equal ones */
  add(query: Query, owner: QueryOwner): number {
    const key = keyOf(query, owner);
    const known = this.#numbers.get(key);
    if (known !== undefined) {
      return known;
    }
    const number = this.#conditions.length;
    this.#all.push(number);
    this.#conditions.push(
      compileQuery(query, owner, (find) => {
        const phraseKey = `${find.isPrefix ? '*' : '='}${find.text}`;
        let phrase = this.#phrases.get(phraseKey);
        if (phrase === undefined) {
          phrase = new Phrase(find);
          this.#phrases.set(phraseKey, phrase);
          this.#fresh.push(phrase);
          this.#characters += find.text.length;
        }
        return phrase;
      }),
    );
    this.#numbers.set(key, number);
    return number;
  }

  /** Of all phrases. */
  get characters(): number {
    return this.#characters;
  }

  get size(): number {
    return this.#conditions.length;
  }

  /**
   * The numbers of the conditions that the article matches. The texts of an article are looked through once, also
   * for users who see the same text.
   *
   * @param of these conditions; else all
   */
  async matching(
    article: QueriedArticle,
    now: Date,
    of: readonly number[] = this.#all,
  ): Promise<ReadonlySet<number>> {
    const turns = new Turns();
    while (this.#fresh.length > 0 || this.#building !== null) {
      this.#building ??= this.#build(turns).finally(() => (this.#building = null));
      await this.#building;
    }
    const sight = new Sight(article, now, (text) => this.#see(text));
    const matching = new Set<number>();
    for (const [n, number] of this.#possible(sight, of).entries()) {
      const condition = this.#conditions[number];
      if (n % IN_A_TURN === 0 || (condition?.cost.patterns ?? 0) > 0) {
        await turns.take();
      }
      if (condition?.holds(sight) === true) {
        matching.add(number);
      }
    }
    return matching;
  }

  /** Whether any of these conditions looks into the text of an article. */
  needsText(of: readonly number[]): boolean {
    return of.some((number) => this.#conditions[number]?.needsText === true);
  }

  /** Conditions of which a word is there, and those that need none: others cannot match. */
  #possible(sight: Sight, of: readonly number[]): readonly number[] {
    const found = new Set<Phrase>();
    for (const part of this.needsText(of) ? PARTS_OF_WORDS : PARTS_WITHOUT_TEXT) {
      for (const seen of sight.of(part)) {
        for (const phrase of seen.found) {
          found.add(phrase);
        }
      }
    }
    return of.filter((number) => {
      const condition = this.#conditions[number];
      return (
        condition !== undefined && (condition.cost.looksAtAll || hasSome(condition.phrases, found))
      );
    });
  }

  /** Makes a search of new phrases, and of former searches that are not much larger. */
  async #build(turns: Turns): Promise<void> {
    const kept = [...this.#searches];
    let phrases: readonly Phrase[] = this.#fresh;
    this.#fresh = [];
    while ((kept.at(-1)?.phrases.length ?? Infinity) < 2 * phrases.length) {
      phrases = phrases.concat(kept.pop()?.phrases ?? []);
    }
    this.#searches = [...kept, await PhraseSearch.inTurns(phrases, turns)];
    this.#seen.clear();
    this.#seenCharacters = 0;
  }

  #see(text: string): SeenText {
    let seen = this.#seen.get(text);
    if (seen === undefined) {
      this.#seenCharacters += text.length;
      if (this.#seenCharacters > MOST_SEEN_CHARACTERS) {
        this.#seen.clear();
        this.#seenCharacters = text.length;
      }
      const searches = this.#searches;
      seen = new SeenText(text, {
        foundIn: (folded) => new Set(searches.flatMap((one) => [...one.foundIn(folded)])),
      });
      this.#seen.set(text, seen);
    }
    return seen;
  }
}

function hasSome(phrases: ReadonlySet<Phrase>, found: ReadonlySet<Phrase>): boolean {
  for (const phrase of found.size === 0 ? [] : phrases) {
    if (found.has(phrase)) {
      return true;
    }
  }
  return false;
}

/** Conditions with the same key match the same articles: the searches that one uses are part of it. */
function keyOf(query: Query, { timeZone, places }: QueryOwner): string {
  const isGone = missingPlaces(query, places).length > 0;
  return isGone ? 'gone' : `${timeZone} ${queryHash(query, places)}`;
}
