/**
 * Marks of vowels and cantillation in Arabic and Hebrew, which most texts and searches omit, and the Arabic
 * tatweel. For JavaScript and PostgreSQL.
 */
export const VOWEL_MARK =
  '[\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0640\\u064b-\\u065f\\u0670]';

const ALL = new RegExp(VOWEL_MARK, 'g');

export function withoutVowelMarks(text: string): string {
  return text.replace(ALL, '');
}

/*
 * Scripts that write without spaces between words: Thai, Lao, Myanmar, Khmer, Chinese, Japanese; and
 * Korean, whose words are joined with particles. PostgreSQL takes a run of their characters for one word.
 */

const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x0e00, 0x0eff],
  [0x1000, 0x109f],
  [0x1780, 0x17ff],
  [0x3005, 0x3007],
  [0x3041, 0x30fa],
  [0x30fc, 0x30ff],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7af],
  [0xf900, 0xfaff],
  [0x20000, 0x323af],
];

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

/** Characters of these scripts, for a bracket expression of JavaScript with the flag `u`. */
const JOINED_CHARACTERS = RANGES.map(
  ([first, last]) => `\\u{${hex(first, 4)}}-\\u{${hex(last, 4)}}`,
).join('');

/** The characters as a PostgreSQL expression. */
export const JOINED_CHARACTERS_SQL = RANGES.map(
  ([first, last]) => `\\U${hex(first, 8)}-\\U${hex(last, 8)}`,
).join('');

const ANY = new RegExp(`[${JOINED_CHARACTERS}]`, 'u');

export function hasJoinedScript(text: string): boolean {
  return ANY.test(text);
}

/** Splits into runs of these characters and the text between them. */
export function splitByScript(text: string): readonly string[] {
  const runs = new RegExp(`[${JOINED_CHARACTERS}]+|[^${JOINED_CHARACTERS}]+`, 'gu');
  return text.match(runs) ?? [];
}

/**
 * The pairs of neighbours by which a run of these characters is found within a longer one; of a single
 * character itself.
 */
export function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, n) => (characters[n] ?? '') + character);
}

/** A word or phrase of a search. */
export interface SearchTerm {
  readonly text: string;
  readonly isPhrase: boolean;
  readonly isExcluded: boolean;
  /** Whether it matches the beginning of a word: the last word, since people search while they type. */
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

/** Limit of marked words. */
const MOST_MARKED = 40;

/**
 * A pattern for the words of a search in texts that are shown; null if there is none to mark. Words of
 * other scripts match as in the search index: whole, in any case, with or without vowel marks.
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

/** Positions of the words in a text. */
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
