import { hasJoinedScript, splitByScript } from './joined-scripts.js';
import { VOWEL_MARK, withoutVowelMarks } from './vowel-marks.js';

/** A word or phrase of a search. */
export interface SearchTerm {
  readonly text: string;
  readonly isPhrase: boolean;
  readonly isExcluded: boolean;
  /** Also found as the beginning of a word: the last word, since people search while they type. */
  readonly isPrefix: boolean;
}

/**
 * A search as PostgreSQL's websearch_to_tsquery reads it: `"a phrase"`, `or`, `-not`.
 *
 * @returns alternatives, each of terms that an article must all have
 */
export function readSearch(words: string): readonly (readonly SearchTerm[])[] {
  const alternatives: SearchTerm[][] = [[]];
  const terms = [...words.matchAll(/(-?)"([^"]*)"?|(\S+)/g)];
  for (const [n, [whole, minus = '', phrase, word = '']] of terms.entries()) {
    if (phrase === undefined && /^or$/i.test(word)) {
      alternatives.push([]);
      continue;
    }
    const isExcluded = minus !== '' || (phrase === undefined && word.startsWith('-'));
    const text = (phrase ?? word.replace(/^-+/, '')).trim();
    if (text !== '') {
      alternatives.at(-1)?.push({
        text,
        isPhrase: phrase !== undefined,
        isExcluded,
        isPrefix:
          phrase === undefined &&
          !isExcluded &&
          n === terms.length - 1 &&
          /[\p{L}\p{M}\p{N}]$/u.test(whole),
      });
    }
  }
  return alternatives.filter((some) => some.length > 0);
}

/** More words are not marked. */
const MOST_MARKED = 40;

/**
 * A pattern for the words of a search in texts that are shown; null if there is none to mark. Words of
 * other scripts are found as the search index has them: whole, in any case, with or without vowel marks.
 */
export function patternOf(words: string): RegExp | null {
  const parts = readSearch(withoutVowelMarks(words))
    .flat()
    .filter(({ isExcluded }) => !isExcluded)
    .slice(0, MOST_MARKED)
    .flatMap(patternsOf);
  return parts.length === 0 ? null : new RegExp(parts.join('|'), 'giu');
}

function patternsOf({ text, isPrefix }: SearchTerm): readonly string[] {
  if (hasJoinedScript(text)) {
    return splitByScript(text)
      .map((part) => part.trim())
      .filter((part) => /[\p{L}\p{N}]/u.test(part))
      .map((part) => escape(part));
  }
  const inner = text.match(/[\p{L}\p{M}\p{N}]+/gu)?.map((word) => spelled(word));
  if (inner === undefined) {
    return [];
  }
  const end = isPrefix ? '' : '(?![\\p{L}\\p{M}\\p{N}])';
  return [`(?<![\\p{L}\\p{M}\\p{N}])${inner.join('[^\\p{L}\\p{M}\\p{N}]+')}${end}`];
}

/** Letters of Arabic and Hebrew, between which a text may have vowel marks. */
function spelled(word: string): string {
  return word.replace(/[\u05d0-\u06ff]/g, (letter) => `${letter}${VOWEL_MARK}*`);
}

const escape = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Part of a text, in UTF-16 code units: first, and the one after the last. */
export type TextRange = readonly [from: number, to: number];

const MOST_RANGES = 20;

/** Where the words are in a text. */
export function rangesOf(text: string, pattern: RegExp | null): readonly TextRange[] {
  if (pattern === null) {
    return [];
  }
  const ranges: TextRange[] = [];
  for (const { index, 0: found } of text.matchAll(pattern)) {
    if (found !== '') {
      ranges.push([index, index + found.length]);
    }
    if (ranges.length === MOST_RANGES) {
      break;
    }
  }
  return ranges;
}
