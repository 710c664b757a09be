import { missingPlaces } from './bind-places.js';
import { foldExact, foldText, type FoldedText } from './folded-text.js';
import { momentsOf, type Clock } from './moments.js';
import { Pattern } from './pattern.js';
import { Phrase, PhraseSearch } from './phrase.js';
import { QueryError } from './query-error.js';
import type { QueriedArticle, Query, TextFind, TextQuery, UserPlaces } from './query.js';
import { wordsOf } from './tokens.js';
import { wantedTokens } from './wanted-tokens.js';

/** Whose query it is. */
export interface QueryOwner extends Omit<Clock, 'now'> {
  readonly places: UserPlaces;
}

export interface MatchContext extends QueryOwner, Clock {}

/** What a condition costs for each article. */
export interface QueryCost {
  /** Words and phrases. */
  readonly words: number;
  readonly patterns: number;
  /** Patterns that look at whole texts. */
  readonly textPatterns: number;
  /** No word must be there, so that the index cannot preselect: every article of the scope is looked at. */
  readonly looksAtAll: boolean;
}

/** A text and what is known of it: folded, and sought for all phrases in one pass, when a condition asks. */
export class SeenText {
  #folded: FoldedText | undefined;
  #found: ReadonlySet<Phrase> | undefined;
  /** For patterns, with and without regard to case. */
  readonly #plain = new Map<boolean, string>();
  readonly #patterns = new Map<Pattern, boolean>();

  constructor(
    readonly text: string,
    private readonly search: Pick<PhraseSearch, 'foundIn'> | null,
  ) {}

  get folded(): FoldedText {
    this.#folded ??= foldText(this.text);
    return this.#folded;
  }

  /** All phrases of the search that are in the text. */
  get found(): ReadonlySet<Phrase> {
    this.#found ??= this.search?.foundIn(this.folded);
    return this.#found ?? NOTHING;
  }

  has(phrase: Phrase): boolean {
    return this.search === null ? phrase.isIn(this.folded) : this.found.has(phrase);
  }

  matches(pattern: Pattern): boolean {
    let matches = this.#patterns.get(pattern);
    if (matches === undefined) {
      const plain = this.#plain.get(pattern.anyCase) ?? pattern.fold(this.text);
      this.#plain.set(pattern.anyCase, plain);
      matches = pattern.test(plain);
      this.#patterns.set(pattern, matches);
    }
    return matches;
  }
}

const NOTHING: ReadonlySet<Phrase> = new Set();

/** What a condition sees: an article, and now. */
export class Sight {
  readonly #parts = new Map<TextPart, readonly SeenText[]>();
  #words: number | undefined;

  constructor(
    readonly article: QueriedArticle,
    readonly now: Date,
    private readonly seen: (text: string) => SeenText,
  ) {}

  of(part: TextPart): readonly SeenText[] {
    let texts = this.#parts.get(part);
    if (texts === undefined) {
      texts = this.#written(part).map(this.seen);
      this.#parts.set(part, texts);
    }
    return texts;
  }

  #written(part: TextPart): readonly string[] {
    const { title, author, url, categories } = this.article;
    if (part === 'category') {
      return categories;
    }
    const text = {
      title,
      author,
      address: url,
      text: part === 'text' ? this.article.text() : null,
    }[part];
    return text === null || text === '' ? [] : part === 'address' ? spellingsOf(text) : [text];
  }

  /** Null without any. */
  get words(): number | null {
    this.#words ??= wordsOf(this.article.text());
    return this.#words === 0 ? null : this.#words;
  }
}

type TextPart = Exclude<TextQuery['in'], 'words'>;

/** The cheapest first. */
export const PARTS_OF_WORDS: readonly TextPart[] = ['title', 'author', 'category', 'text'];

/** As written, and with percent-encoding read. */
function spellingsOf(url: string): string[] {
  try {
    const decoded = decodeURI(url);
    return decoded === url ? [url] : [url, decoded];
  } catch {
    return [url];
  }
}

type Condition = (sight: Sight) => boolean;

interface Compiled {
  readonly holds: Condition;
  /** Relative; what is cheaper is asked first. */
  readonly weight: number;
}

/** More phrases are sought in one pass. */
const MOST_SINGLY = 4;

/** Decides whether an article matches: the one function in which searches and rules end. */
export class QueryMatcher {
  /** Whether `matches` may call `text`. */
  readonly needsText: boolean;
  readonly cost: QueryCost;
  readonly #condition: Condition;
  readonly #now: Date;
  readonly #search: PhraseSearch | null;

  constructor(query: Query, context: MatchContext) {
    const { holds, phrases, needsText, cost } = compileQuery(query, context);
    this.#condition = holds;
    this.#now = context.now;
    this.#search = phrases.size > MOST_SINGLY ? new PhraseSearch([...phrases]) : null;
    this.needsText = needsText;
    this.cost = cost;
  }

  matches(article: QueriedArticle): boolean {
    const seen = (text: string) => new SeenText(text, this.#search);
    return this.#condition(new Sight(article, this.#now, seen));
  }
}

export interface CompiledQuery {
  readonly holds: Condition;
  /** To be sought in one pass. */
  readonly phrases: ReadonlySet<Phrase>;
  readonly needsText: boolean;
  readonly cost: QueryCost;
}

type FoundPhrase = Extract<TextFind, { kind: 'phrase' }>;

/**
 * What cannot be decided matches nothing: a query with a place that is gone.
 *
 * @param phraseOf one for all equal ones
 */
export function compileQuery(
  query: Query,
  owner: QueryOwner,
  phraseOf = (find: FoundPhrase) => new Phrase(find),
): CompiledQuery {
  const compiler = new Compiler(owner, phraseOf);
  const holds = compiler.whole(query);
  const { phrases, patterns, textPatterns, needsText } = compiler;
  const looksAtAll = wantedTokens(query, owner.places).kind === 'everything';
  return {
    holds: holds ?? (() => false),
    phrases,
    needsText: holds !== null && needsText,
    cost: { words: phrases.size, patterns, textPatterns, looksAtAll: holds !== null && looksAtAll },
  };
}

class Compiler {
  readonly phrases = new Set<Phrase>();
  patterns = 0;
  textPatterns = 0;
  needsText = false;
  readonly #searches = new Map<number, Compiled>();

  constructor(
    private readonly owner: QueryOwner,
    private readonly phraseOf: (find: FoundPhrase) => Phrase,
  ) {}

  /** Null for a query that cannot be decided: a place is gone, or a pattern of a version before is refused now. */
  whole(query: Query): Condition | null {
    try {
      return missingPlaces(query, this.owner.places).length > 0 ? null : this.compile(query).holds;
    } catch (error) {
      if (error instanceof QueryError) {
        return null;
      }
      throw error;
    }
  }

  compile(query: Query): Compiled {
    switch (query.kind) {
      case 'everything': {
        return { holds: () => true, weight: 0 };
      }
      case 'and':
      case 'or': {
        const parts = query.of
          .map((part) => this.compile(part))
          .toSorted((a, b) => a.weight - b.weight);
        const all = parts.map(({ holds }) => holds);
        return {
          holds:
            query.kind === 'and'
              ? (sight) => all.every((holds) => holds(sight))
              : (sight) => all.some((holds) => holds(sight)),
          weight: parts.at(-1)?.weight ?? 0,
        };
      }
      case 'not': {
        const { holds, weight } = this.compile(query.of);
        return { holds: (sight) => !holds(sight), weight };
      }
      case 'text': {
        return this.#text(query);
      }
      case 'site': {
        const ending = `.${query.host}`;
        return field(({ url }) => url !== null && `.${hostOf(url)}`.endsWith(ending));
      }
      case 'place': {
        const { of, id } = query;
        if (of === 'search') {
          return this.#search(id ?? 0);
        }
        return of === 'feed'
          ? field(({ feedId }) => feedId === id)
          : of === 'folder'
            ? field(({ folderId }) => folderId === id)
            : id === null
              ? field(({ labelIds }) => labelIds.length > 0)
              : field(({ labelIds }) => labelIds.includes(id));
      }
      case 'is': {
        return field(({ states }) => states[query.state]);
      }
      case 'has': {
        return field(({ parts }) => parts[query.what]);
      }
      case 'date':
      case 'age': {
        const isArrival = query.kind === 'date' && query.of === 'arrived';
        const moments = remembered((now) =>
          momentsOf(query, { now, timeZone: this.owner.timeZone }),
        );
        return {
          holds: ({ article, now }) => {
            const { from, before } = moments(now);
            const at = isArrival ? article.arrivedSeconds : article.publishedSeconds;
            return (from === null || at >= from) && (before === null || at < before);
          },
          weight: 1,
        };
      }
      case 'number': {
        const { of, least, most } = query;
        this.needsText ||= of === 'words';
        return {
          holds: (sight) => {
            const value = of === 'words' ? sight.words : sight.article.durationSeconds;
            return (
              value !== null &&
              (least === null || value >= least) &&
              (most === null || Math.floor(value) <= most)
            );
          },
          weight: of === 'words' ? 20 : 1,
        };
      }
      case 'ask': {
        return { holds: ({ article }) => article.answerTo(query.question) === true, weight: 200 };
      }
    }
  }

  /** Each search once, however many use it. */
  #search(id: number): Compiled {
    let known = this.#searches.get(id);
    if (known === undefined) {
      const search = this.owner.places.search.find((one) => one.id === id);
      const { holds, weight } = this.compile(search?.query ?? { kind: 'everything' });
      const results = new WeakMap<Sight, boolean>();
      known = {
        holds: (sight) => {
          const result = results.get(sight) ?? holds(sight);
          results.set(sight, result);
          return result;
        },
        weight,
      };
      this.#searches.set(id, known);
    }
    return known;
  }

  #text({ in: where, find }: TextQuery): Compiled {
    const parts = where === 'words' ? PARTS_OF_WORDS : [where];
    const isDear = parts.includes('text');
    this.needsText ||= isDear;
    const inAny = (isIn: (text: SeenText) => boolean, weight: number): Compiled => ({
      holds: (sight) => parts.some((part) => sight.of(part).some(isIn)),
      weight: isDear ? 5 * weight : weight,
    });
    if (find.kind === 'any') {
      return inAny(() => true, 2);
    }
    if (find.kind === 'pattern') {
      this.patterns += 1;
      this.textPatterns += isDear ? 1 : 0;
      const pattern = Pattern.of(find.source, find.flags);
      return inAny((text) => text.matches(pattern), 20);
    }
    if (where === 'address') {
      const sought = foldExact(find.text);
      return inAny(({ folded }) => folded.exact.includes(sought), 2);
    }
    const phrase = this.phraseOf(find);
    this.phrases.add(phrase);
    if (find.isWhole) {
      return inAny(({ folded }) => phrase.isAllOf(folded), 2);
    }
    return inAny((text) => text.has(phrase), 2);
  }
}

const field = (holds: (article: QueriedArticle) => boolean): Compiled => ({
  holds: ({ article }) => holds(article),
  weight: 1,
});

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : '');

/** Computes again only for another moment. */
function remembered<Result>(compute: (now: Date) => Result): (now: Date) => Result {
  let last: { readonly now: Date; readonly result: Result } | null = null;
  return (now) => {
    if (last === null || last.now !== now) {
      last = { now, result: compute(now) };
    }
    return last.result;
  };
}
