import { WORD_CLASS } from './folded-text.js';
import { Phrase } from './phrase.js';
import type { Query, TextFind, TextQuery, UserPlaces } from './query.js';
import { cut, pairsOf, partsOf } from './tokens.js';

/** What the index must find: every article that matches has it, others may have it, too. */
export type TokenQuery =
  /** Nothing is known: any article may match. */
  | { readonly kind: 'everything' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly TokenQuery[] }
  | {
      /** `prefix`: the beginning of a token. */
      readonly kind: 'token' | 'prefix';
      readonly token: string;
      /** Where at least; `words` is title, text, author and categories. */
      readonly in: Exclude<TextQuery['in'], 'address'>;
    };

const EVERYTHING: TokenQuery = { kind: 'everything' };

/** Searches within are followed so far. */
const MOST_PARTS = 2000;

/** @param places for the saved searches that the query uses; without them these are everything */
export function wantedTokens(query: Query, places?: UserPlaces): TokenQuery {
  let parts = 0;
  const wanted = (part: Query): TokenQuery => {
    parts += 1;
    if (part.kind === 'and' || part.kind === 'or') {
      return joined(part.kind, part.of.map(wanted));
    }
    if (part.kind === 'text' && part.find.kind === 'phrase' && part.in !== 'address') {
      return joined('and', tokensOfPhrase(part.find, part.in));
    }
    if (part.kind === 'place' && part.of === 'search' && parts < MOST_PARTS) {
      const search = places?.search.find(({ id }) => id === part.id);
      return search === undefined ? EVERYTHING : wanted(search.query);
    }
    return EVERYTHING;
  };
  return wanted(query);
}

function joined(kind: 'and' | 'or', all: readonly TokenQuery[]): TokenQuery {
  const of = kind === 'and' ? all.filter((part) => part.kind !== 'everything') : all;
  if (of.length === 0 || of.some((part) => part.kind === 'everything')) {
    return EVERYTHING;
  }
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind, of };
}

const WORDS = new RegExp(`[${WORD_CLASS}]+`, 'gu');

function tokensOfPhrase(
  find: Extract<TextFind, { kind: 'phrase' }>,
  where: Exclude<TextQuery['in'], 'address'>,
): readonly TokenQuery[] {
  const { chunks, isPrefix } = new Phrase(find);
  return chunks.flatMap(({ bare, words }, n) =>
    [...bare.matchAll(WORDS)].flatMap(({ 0: run, index }) =>
      partsOf(run).flatMap(({ word, from, isJoined }): readonly TokenQuery[] => {
        if (isJoined) {
          const pairs = pairsOf(word);
          return pairs.length === 0
            ? [{ kind: 'prefix', token: word, in: where }]
            : pairs.map((token) => ({ kind: 'token', token, in: where }));
        }
        const isLast = n === chunks.length - 1 && index + from + word.length === bare.length;
        const accented = words.find((one) => one.from === index && one.to === index + word.length);
        const signs = /^[+#]+/.exec(bare.slice(index + run.length))?.[0] ?? '';
        const endsRun = from + word.length === run.length;
        return signs !== '' && endsRun
          ? [{ kind: 'prefix', token: cut(word + signs), in: where }]
          : [
              {
                kind: isLast && isPrefix ? 'prefix' : 'token',
                token: cut(accented?.exact ?? word),
                in: where,
              },
            ];
      }),
    ),
  );
}
