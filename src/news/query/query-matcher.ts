import { missingPlaces } from './bind-places.js';
import { foldExact, foldText, type FoldedText } from './folded-text.js';
import { momentsOf, type Clock } from './moments.js';
import { Pattern } from './pattern.js';
import { Phrase } from './phrase.js';
import type { QueriedArticle, Query, TextQuery, UserPlaces } from './query.js';
import { wordsOf } from './tokens.js';

export interface MatchContext extends Clock {
  readonly places: UserPlaces;
}

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

/** The texts of an article, each folded once, when the first condition asks for it. */
export class ArticleTexts {
  readonly #folded = new Map<TextPart, readonly FoldedText[]>();
  #words: number | undefined;

  constructor(readonly article: QueriedArticle) {}

  /** In the parts of a condition. */
  of(part: TextPart): readonly FoldedText[] {
    let folded = this.#folded.get(part);
    if (folded === undefined) {
      folded = this.plain(part).map(foldText);
      this.#folded.set(part, folded);
    }
    return folded;
  }

  plain(part: TextPart): readonly string[] {
    const { title, author, url, categories } = this.article;
    const texts = {
      title,
      author,
      address: url,
      text: part === 'text' ? this.article.text() : null,
    };
    const given = part === 'category' ? categories : [texts[part]];
    const written = given.filter((text): text is string => text !== null && text !== '');
    return part === 'address' ? written.flatMap(spellingsOf) : written;
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

export const partsOf = (where: TextQuery['in']): readonly TextPart[] =>
  where === 'words' ? PARTS_OF_WORDS : [where];

/** As written, and with percent-encoding read. */
function spellingsOf(url: string): string[] {
  try {
    const decoded = decodeURI(url);
    return decoded === url ? [url] : [url, decoded];
  } catch {
    return [url];
  }
}

/** What a condition sees: an article, and now. */
export interface Sight {
  readonly texts: ArticleTexts;
  readonly now: Date;
  /** Whether words are in a part of the article, where this is known already. */
  readonly finds?: (phrase: Phrase, part: TextPart) => boolean | undefined;
}

type Condition = (sight: Sight) => boolean;

interface Compiled {
  readonly holds: Condition;
  /** Relative; what is cheaper is asked first. */
  readonly weight: number;
}

/** Decides whether an article matches: the one function in which searches and rules end. */
export class QueryMatcher {
  readonly needsText: boolean;
  readonly cost: QueryCost;
  readonly #condition: Condition;
  readonly #now: Date;

  constructor(query: Query, context: MatchContext) {
    const compiled = compileQuery(query, context);
    this.#condition = compiled.holds;
    this.#now = context.now;
    this.needsText = compiled.needsText;
    this.cost = compiled.cost;
  }

  matches(article: QueriedArticle): boolean {
    return this.#condition({ texts: new ArticleTexts(article), now: this.#now });
  }
}

export interface CompiledQuery {
  readonly holds: Condition;
  readonly phrases: readonly { readonly phrase: Phrase; readonly in: TextQuery['in'] }[];
  readonly needsText: boolean;
  readonly cost: QueryCost;
}

/** A query with a place that is gone matches nothing. */
export function compileQuery(query: Query, context: MatchContext): CompiledQuery {
  const compiler = new Compiler(context);
  const isWhole = missingPlaces(query, context.places).length === 0;
  const { holds } = isWhole ? compiler.compile(query) : { holds: () => false };
  const { phrases, patterns, textPatterns, needsText } = compiler;
  return {
    holds,
    phrases,
    needsText,
    cost: {
      words: phrases.length,
      patterns,
      textPatterns,
      looksAtAll: isWhole && !needsWord(query),
    },
  };
}

/** Whether no article can match without a word that the query names. */
function needsWord(query: Query): boolean {
  switch (query.kind) {
    case 'and': {
      return query.of.some((part) => needsWord(part));
    }
    case 'or': {
      return query.of.every((part) => needsWord(part));
    }
    case 'text': {
      return query.find.kind === 'phrase' && query.in !== 'address';
    }
    default: {
      return false;
    }
  }
}

class Compiler {
  readonly phrases: { readonly phrase: Phrase; readonly in: TextQuery['in'] }[] = [];
  patterns = 0;
  textPatterns = 0;
  needsText = false;
  readonly #searches = new Map<number, Compiled>();

  constructor(private readonly context: MatchContext) {}

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
          momentsOf(query, { now, timeZone: this.context.timeZone }),
        );
        return {
          holds: ({ texts: { article }, now }) => {
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
          holds: ({ texts }) => {
            const value = of === 'words' ? texts.words : texts.article.durationSeconds;
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
        return {
          holds: ({ texts }) => texts.article.answerTo(query.question) === true,
          weight: 200,
        };
      }
    }
  }

  /** Each search once, however many use it. */
  #search(id: number): Compiled {
    let known = this.#searches.get(id);
    if (known === undefined) {
      const search = this.context.places.search.find((one) => one.id === id);
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
    const parts = partsOf(where);
    this.needsText ||= parts.includes('text');
    const weight = parts.includes('text') ? 10 : 2;
    if (find.kind === 'any') {
      return { holds: ({ texts }) => parts.some((part) => texts.plain(part).length > 0), weight };
    }
    if (find.kind === 'pattern') {
      this.patterns += 1;
      this.textPatterns += parts.includes('text') ? 1 : 0;
      const pattern = Pattern.of(find.source, find.flags);
      return {
        holds: ({ texts }) =>
          parts.some((part) => texts.plain(part).some((text) => pattern.test(text))),
        weight: weight * 10,
      };
    }
    if (where === 'address') {
      const part = foldExact(find.text);
      return {
        holds: ({ texts }) => texts.of('address').some(({ exact }) => exact.includes(part)),
        weight,
      };
    }
    const phrase = new Phrase(find);
    if (find.isWhole) {
      return {
        holds: ({ texts }) => texts.of('category').some((text) => phrase.isAllOf(text)),
        weight,
      };
    }
    this.phrases.push({ phrase, in: where });
    return {
      holds: ({ texts, finds }) =>
        parts.some(
          (part) => finds?.(phrase, part) ?? texts.of(part).some((text) => phrase.isIn(text)),
        ),
      weight,
    };
  }
}

const field = (holds: (article: QueriedArticle) => boolean): Compiled => ({
  holds: ({ texts }) => holds(texts.article),
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
