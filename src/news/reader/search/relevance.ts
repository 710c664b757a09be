import { foldText } from '../../query/folded-text.js';
import { Phrase } from '../../query/phrase.js';
import type { QueriedArticle, Query, TextQuery } from '../../query/query.js';
import { wordsOf } from '../../query/tokens.js';

/** Weights of a word by where it is found; what is found only in the text counts nothing. */
const IN_TITLE = 10;
const IN_CATEGORY = 2;
const IN_AUTHOR = 4;
/** More for a title that begins with the first word, that has all words side by side, and that has little else. */
const AT_BEGIN = 1;
const SIDE_BY_SIDE = 8;
const SHARE_OF_TITLE = 6;
/** For an article of now; half of it for one of a month ago. */
const FRESH = 4;
const FRESH_SECONDS = 30 * 86_400;

/** How relevant articles are that a query matches. */
export class Relevance {
  readonly #sought: readonly { readonly phrase: Phrase; readonly in: TextQuery['in'] }[];
  readonly #all: Phrase | null;

  constructor(
    query: Query,
    private readonly nowSeconds: number,
  ) {
    const words = soughtIn(query);
    this.#sought = words.map(({ in: where, find }) => ({ phrase: new Phrase(find), in: where }));
    const isRow = query.kind === 'and' && words.length > 1;
    this.#all = isRow
      ? new Phrase({
          kind: 'phrase',
          text: words.map(({ find }) => find.text).join(' '),
          isPrefix: words.at(-1)?.find.isPrefix ?? false,
          isWhole: false,
        })
      : null;
  }

  /** @returns any number; more is more relevant */
  of({ title, author, categories, publishedSeconds }: QueriedArticle): number {
    const inTitle = foldText(title ?? '');
    const inAuthor = foldText(author ?? '');
    const inCategories = foldText(categories.join(' \n '));
    const age = Math.max(0, this.nowSeconds - publishedSeconds) / FRESH_SECONDS;
    let score = FRESH / (1 + age);
    let found = 0;
    for (const { phrase, in: where } of this.#sought) {
      const at = isIn(where, 'title') ? phrase.next(inTitle, 0) : null;
      if (at !== null) {
        found += 1;
        score += IN_TITLE + (at[0] === 0 ? AT_BEGIN : 0);
      }
      score += isIn(where, 'category') && phrase.isIn(inCategories) ? IN_CATEGORY : 0;
      score += isIn(where, 'author') && phrase.isIn(inAuthor) ? IN_AUTHOR : 0;
    }
    if (found > 0) {
      score += SHARE_OF_TITLE * Math.min(1, found / Math.max(1, wordsOf(title ?? '')));
      score += this.#all?.isIn(inTitle) === true ? SIDE_BY_SIDE : 0;
    }
    return score;
  }
}

const isIn = (where: TextQuery['in'], part: TextQuery['in']) => where === 'words' || where === part;

type SoughtWords = TextQuery & { readonly find: { readonly kind: 'phrase' } };

/** Words that an article should have, in their order. */
function soughtIn(query: Query): readonly SoughtWords[] {
  switch (query.kind) {
    case 'and':
    case 'or': {
      return query.of.flatMap(soughtIn);
    }
    case 'text': {
      return query.find.kind === 'phrase' && query.in !== 'address' ? [query as SoughtWords] : [];
    }
    default: {
      return [];
    }
  }
}
