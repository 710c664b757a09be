import { foldText, WORD_CLASS } from '../query/folded-text.js';
import { pairsOf, partsOf } from '../query/tokens.js';
import { CALENDAR_WORDS } from './calendar-words.js';
import { hashOf } from './hashes.js';

/**
 * A word as 32 bits: 29 of its hash, and three that say what it is. Equal words have equal hashes,
 * whatever they are.
 */
export const KIND = 7;
/** Too short to say what a text is about. */
export const SHORT = 1;
/** Begins with a capital in its sentence. */
export const NAME = 2;
export const NUMBER = 4;
export const DATE = 5;

export const isNumber = (code: number): boolean => (code & NUMBER) !== 0;
export const isContent = (code: number): boolean => (code & KIND) !== SHORT;

const WORDS = new RegExp(
  String.raw`\p{Nd}+(?:[.,:/'-]\p{Nd}+)*|(?:(?!\p{Nd})[${WORD_CLASS}])+`,
  'gu',
);
const LONGEST_WORD = 64;

/** The words of a text, of scripts without spaces each pair of neighbours, at most so many. */
export function storyWords(text: string, most: number): Uint32Array {
  const codes: number[] = [];
  const { bare } = foldText(text);
  for (const { 0: run } of bare.matchAll(WORDS)) {
    if (codes.length >= most) {
      break;
    }
    if (/^\p{Nd}/u.test(run)) {
      codes.push(coded(numberOf(run.slice(0, LONGEST_WORD)), NUMBER));
      continue;
    }
    const date = CALENDAR_WORDS.get(run);
    if (date !== undefined) {
      codes.push(coded(date, DATE));
      continue;
    }
    for (const { word, isJoined } of partsOf(run.slice(0, 2_000))) {
      if (isJoined) {
        const pairs = pairsOf(word);
        codes.push(...(pairs.length > 0 ? pairs : [word]).map((pair) => coded(pair, 0)));
      } else {
        codes.push(coded(word.slice(0, LONGEST_WORD), word.length < 4 ? SHORT : 0));
      }
    }
  }
  return Uint32Array.from(codes.slice(0, most));
}

const coded = (word: string, kind: number): number => ((hashOf(word) & ~KIND) | kind) >>> 0;

/** A number in one form: `1,200`, `1.200` and `١٢٠٠` are 1200, `2–1` and `2:1` are one result. */
function numberOf(written: string): string {
  const digits = written.replace(/[^\p{ASCII}]/gu, (digit) => `${digitOf(digit)}`);
  return (/^\d{1,3}(?:[.,']\d{3})+$/.test(digits) ? digits.replace(/[.,']/g, '') : digits)
    .replace(/[:/]/g, '-')
    .replace(/,/g, '.')
    .replace(/(?<![\d.])0+(?=\d)/g, '');
}

/** Digits lie in tens whose first is 0. */
function digitOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) {
    zero -= 1;
  }
  return code - zero;
}
