import { foldText, WORD_CLASS } from '../query/folded-text.js';
import { pairsOf, partsOf } from '../query/tokens.js';
import { CALENDAR_ABBREVIATIONS, CALENDAR_WORDS } from './calendar-words.js';
import { hashOf } from './hashes.js';
import { NUMBER_WORDS, romanNumber } from './number-words.js';

/**
 * A word as 32 bits: 16 of its beginning, 13 of the rest, and three that say what it is. Words are equal if
 * their hashes are, and akin if those of their beginnings are.
 */
const KIND = 7;
const WORD = 0;
/** Too short to say what a text is about. */
const SHORT = 1;
/** Two neighbours of a script without spaces. */
const PAIR = 2;
const NUMBER = 4;
/** A month or a weekday. */
const DATE = 5;

export const wordOf = (code: number): number => code >>> 3;
export const stemOf = (code: number): number => code >>> 16;

/** Numbers and dates, which tell stories of one form apart. */
export const isNumber = (code: number): boolean => (code & KIND) >= NUMBER;

export const isContent = (code: number): boolean => (code & KIND) !== SHORT;

/** How many words a code stands for. */
export const sizeOf = (code: number): number => ((code & KIND) === PAIR ? 0.5 : 1);

const WORDS = new RegExp(
  String.raw`\p{Nd}+(?:[.,:/'-]\p{Nd}+)*|(?:(?!\p{Nd})[${WORD_CLASS}])+`,
  'gu',
);
const LONGEST_WORD = 64;
/** Words of scripts with few letters to a word. */
const DENSE = /^[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Devanagari}]/u;

/** The words of a text in their order, at most so many. */
export function storyWords(text: string, most: number): Uint32Array {
  const codes: number[] = [];
  let before = '';
  let abbreviation = '';
  for (const [run] of foldText(text).bare.matchAll(WORDS)) {
    if (codes.length >= most) {
      break;
    }
    const date = CALENDAR_ABBREVIATIONS.get(isDigit(run) ? abbreviation : run);
    if (date !== undefined && isDigit(run)) {
      codes.splice(-1, 1, coded(date, DATE));
    }
    abbreviation = date !== undefined && !isDigit(run) ? run : '';
    if (date !== undefined && isDigit(before) && !isDigit(run)) {
      codes.push(coded(date, DATE));
    } else {
      codes.push(...codesOf(run));
    }
    before = run;
  }
  return Uint32Array.from(codes.slice(0, most));
}

const isDigit = (run: string): boolean => DIGIT.test(run);
const DIGIT = /^\p{Nd}/u;

/** Words are few, and most are met again. */
const known = new Map<string, readonly number[]>();
const MOST_KNOWN = 20_000;

function codesOf(run: string): readonly number[] {
  let codes = known.get(run);
  if (codes === undefined) {
    codes = newCodesOf(run);
    if (known.size >= MOST_KNOWN) {
      known.clear();
    }
    if (run.length <= LONGEST_WORD) {
      known.set(run, codes);
    }
  }
  return codes;
}

function newCodesOf(run: string): readonly number[] {
  if (isDigit(run)) {
    return [coded(numberOf(run.slice(0, LONGEST_WORD)), NUMBER)];
  }
  const number = NUMBER_WORDS.get(run) ?? romanNumber(run);
  if (number !== undefined) {
    return [coded(`${number}`, NUMBER)];
  }
  const date = CALENDAR_WORDS.get(run);
  if (date !== undefined) {
    return [coded(date, DATE)];
  }
  return partsOf(run.slice(0, 2_000)).flatMap(({ word, isJoined }) => {
    if (isJoined) {
      const pairs = pairsOf(word);
      return (pairs.length > 0 ? pairs : [word]).map((pair) => coded(pair, PAIR));
    }
    const isShort = word.length < (DENSE.test(word) ? 3 : 4);
    return [coded(word.slice(0, LONGEST_WORD), isShort ? SHORT : WORD)];
  });
}

/** Endings of words begin behind it, mostly. */
const STEM = 5;

function coded(word: string, kind: number): number {
  const stem = hashOf(word.slice(0, STEM)) & 0xffff0000;
  return (stem | (hashOf(word) & 0xfff8) | kind) >>> 0;
}

/** A number in one form: `1,200`, `1.200` and `١٢٠٠` are 1200, `2–1` and `2:1` are one result. */
function numberOf(written: string): string {
  const digits = written.replace(/[^\p{ASCII}]/gu, (digit) => `${digitOf(digit)}`);
  return (/^\d{1,3}(?:[.,']\d{3})+$/.test(digits) ? digits.replace(/[.,']/g, '') : digits)
    .replace(/[:/]/g, '-')
    .replace(/,/g, '.')
    .replace(/(?<![\d.])0+(?=\d)/g, '');
}

/** Digits of a script follow each other. */
function digitOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) {
    zero -= 1;
  }
  return code - zero;
}
