import { foldText, UNSEEN, WORD_CLASS } from '../query/folded-text.js';
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
/** With a capital within a sentence. */
const NAME = 3;
const NUMBER = 4;
/** A month or a weekday. */
const DATE = 5;

export const wordOf = (code: number): number => code >>> 3;
export const stemOf = (code: number): number => code >>> 16;

export const isNumber = (code: number): boolean => (code & KIND) >= NUMBER;

/** What texts of one form differ in: names, numbers and dates. */
export const isFact = (code: number): boolean => (code & KIND) >= NAME;

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
  const seen = text.normalize('NFC').replace(UNSEEN, '');
  let before = '';
  for (const { 0: run, index } of seen.matchAll(WORDS)) {
    if (codes.length >= most) {
      break;
    }
    const { date, all } = codesOf(run);
    const dateBefore = isDigit(run) ? codesOf(before).date : undefined;
    if (dateBefore !== undefined) {
      codes.splice(-1, 1, dateBefore);
    }
    if (date !== undefined && isDigit(before)) {
      codes.push(date);
    } else if (all.length === 1 && isName(seen, index)) {
      codes.push(named(all[0] ?? 0));
    } else {
      codes.push(...all);
    }
    before = run;
  }
  return Uint32Array.from(codes.slice(0, most));
}

/** Whether a word has a capital, and follows another word of its sentence. */
function isName(text: string, at: number): boolean {
  return (
    CAPITAL.test(text.charAt(at)) && text.charAt(at - 1) === ' ' && INNER.test(text.charAt(at - 2))
  );
}

const CAPITAL = /\p{Lu}/u;
const INNER = /[\p{L}\p{N},]/u;

const named = (code: number): number => (isNumber(code) ? code : ((code & ~KIND) | NAME) >>> 0);

const isDigit = (run: string): boolean => DIGIT.test(run);
const DIGIT = /^\p{Nd}/u;

interface Codes {
  readonly all: readonly number[];
  /** What it abbreviates beside a number. */
  readonly date?: number;
}

/** Words are few, and most are met again. */
const known = new Map<string, Codes>();
const MOST_KNOWN = 20_000;

function codesOf(run: string): Codes {
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

function newCodesOf(run: string): Codes {
  if (isDigit(run)) {
    return { all: [coded(numberOf(run.slice(0, LONGEST_WORD)), NUMBER)] };
  }
  const word = foldText(run.slice(0, LONGEST_RUN)).bare;
  const number = NUMBER_WORDS.get(word) ?? romanNumber(word);
  if (number !== undefined) {
    return { all: [coded(`${number}`, NUMBER)] };
  }
  const date = CALENDAR_WORDS.get(word);
  if (date !== undefined) {
    return { all: [coded(date, DATE)] };
  }
  const abbreviated = CALENDAR_ABBREVIATIONS.get(word);
  return {
    all: partsOf(word).flatMap((part) => (part.isJoined ? pairsIn(part.word) : wordIn(part.word))),
    ...(abbreviated === undefined ? {} : { date: coded(abbreviated, DATE) }),
  };
}

/** Of a run without spaces, what is longer is not looked at. */
const LONGEST_RUN = 2_000;

function pairsIn(run: string): readonly number[] {
  const pairs = pairsOf(run);
  return (pairs.length > 0 ? pairs : [run]).map((pair) => coded(pair, PAIR));
}

const wordIn = (word: string): number =>
  coded(word.slice(0, LONGEST_WORD), word.length < (DENSE.test(word) ? 3 : 4) ? SHORT : WORD);

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
