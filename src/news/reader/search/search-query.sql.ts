import {
  hasJoinedScript,
  JOINED_CHARACTERS_SQL,
  pairsOf,
  splitByScript,
} from './joined-scripts.js';
import { readSearch, type SearchTerm } from './search-words.js';
import { withoutVowelMarks } from './vowel-marks.js';

type Bind = (value: unknown) => string;

/**
 * SQL of the tsquery of a search, with the syntax of websearch_to_tsquery. The last word is matched as a
 * prefix, since people search while they type, unless it is excluded or ends with a quotation mark.
 */
export function queryFor(written: string, bind: Bind): string {
  const words = withoutVowelMarks(written);
  if (hasJoinedScript(words)) {
    return queryByPairs(words, bind);
  }
  const quotationMarks = words.split('"').length - 1;
  const last = words.split(/\s+/).at(-1) ?? '';
  const isPrefix =
    /[\p{L}\p{M}\p{N}]$/u.test(words) && quotationMarks % 2 === 0 && !last.startsWith('-');
  return webSearch(words, isPrefix, bind);
}

function webSearch(words: string, isPrefix: boolean, bind: Bind): string {
  const query = `websearch_to_tsquery('simple', ${bind(words)})`;
  return isPrefix
    ? `case when ${query}::text like '%''' then (${query}::text || ':*')::tsquery else ${query} end`
    : query;
}

/** Words of scripts without spaces are found by their pairs of characters, see `pairsIn`. */
function queryByPairs(words: string, bind: Bind): string {
  const alternatives = readSearch(words).map((terms) =>
    terms
      .map((term) => {
        const query = queryForTerm(term, bind);
        return term.isExcluded ? `!!(${query})` : `(${query})`;
      })
      .join(' && '),
  );
  return alternatives.map((query) => `(${query})`).join(' || ');
}

function queryForTerm({ text, isPhrase, isPrefix }: SearchTerm, bind: Bind): string {
  if (!hasJoinedScript(text)) {
    return webSearch(isPhrase ? `"${text}"` : text, isPrefix, bind);
  }
  const parts = splitByScript(text).filter((part) => /[\p{L}\p{N}]/u.test(part));
  return parts
    .map((part) => {
      if (!hasJoinedScript(part)) {
        // It may be the beginning of a word that goes on in the other script.
        return `(${webSearch(part, true, bind)})`;
      }
      const pairs = pairsOf(part);
      const isOne = pairs.length === 1 && [...part].length === 1;
      return `${bind(pairs.map((pair) => `'${pair}'${isOne ? ':*' : ''}`).join(' & '))}::tsquery`;
    })
    .join(' && ');
}

/** So that the vector of a text of one such script stays far below the largest. */
const MOST_PAIRS = 30_000;

/**
 * SQL of a tsvector for scripts without spaces: the pairs of neighbouring characters, the last character
 * of each run, and the words of other scripts that stand beside them. Empty for texts without such
 * scripts, which costs a regular expression.
 *
 * @param text SQL of the text
 */
export function pairsIn(text: string): string {
  const joined = `[${JOINED_CHARACTERS_SQL}]`;
  const others = `[^${JOINED_CHARACTERS_SQL}]`;
  return `case when ${text} ~ '${joined}' then array_to_tsvector(array(
            select distinct pair from (
              select a || trim(lead(a) over (order by n)) as pair
                from string_to_table(regexp_replace(${text}, '${others}+', ' ', 'g') || ' ', null)
                     with ordinality as one (a, n)) pairs
             where pair !~ '^ ' and pair <> '' limit ${MOST_PAIRS}))
            || to_tsvector('simple', regexp_replace(${text}, '${joined}+', ' ', 'g'))
          else ''::tsvector end`;
}
