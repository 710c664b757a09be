import { foldText, UNSEEN } from '../query/folded-text.js';
import { pairsOf, partsOf } from '../query/tokens.js';
import { hashOf } from './hashes.js';
import { knownWord } from './known-words.js';

/**
 * A word is 32 bits: 16 of its beginning, 13 of the rest, and three that say what it is. Words are equal if
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
/** A number, a month or a weekday. */
const NUMBER = 4;

export const wordOf = (code: number): number => code >>> 3;
export const stemOf = (code: number): number => code >>> 16;
export const isContent = (code: number): boolean => (code & KIND) !== SHORT;
export const isNumber = (code: number): boolean => (code & KIND) === NUMBER;
/** What texts of one form differ in. */
export const isFact = (code: number): boolean => (code & KIND) >= NAME;
/** How many words a code stands for. */
export const sizeOf = (code: number): number => ((code & KIND) === PAIR ? 0.5 : 1);

const WORDS =
  /\p{Nd}{1,3}(?:[ \u00a0\u202f]\p{Nd}{3})+(?!\p{Nd})|\p{Nd}+(?:[.,:/'–-]\p{Nd}+)*|[\p{L}\p{M}\p{Nl}\p{No}_]+/gu;
const DIGIT = /^\p{Nd}/u;
const CAPITAL = /^\p{Lu}/u;
const INNER = /[\p{L}\p{N},]/u;
/** Of scripts with few letters to a word. */
const DENSE = /^[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Devanagari}]/u;
/** Endings of words begin behind it, mostly. */
const STEM = 5;
const LONGEST_WORD = 64;
/** Of a run without spaces, what is longer is not looked at. */
const LONGEST_RUN = 2_000;

/** The words of a text in their order, at most so many. */
export function storyWords(text: string, most: number): Uint32Array {
  const codes: number[] = [];
  const seen = text.normalize('NFC').replace(UNSEEN, '');
  for (const { 0: run, index } of seen.matchAll(WORDS)) {
    if (codes.length >= most) {
      break;
    }
    for (const code of codesOf(run)) {
      const kind = code & KIND;
      const isName = kind < PAIR && isCapital(run) && isWithin(seen, index);
      codes.push(isName ? code - kind + NAME : code);
    }
  }
  return Uint32Array.from(codes.slice(0, most));
}

function isCapital(word: string): boolean {
  const code = word.charCodeAt(0);
  return code < 0x80 ? code < 0x5f : CAPITAL.test(word);
}

/** Whether a word is within a sentence: behind another, or a comma. */
const isWithin = (text: string, at: number): boolean =>
  text.charAt(at - 1) === ' ' && INNER.test(text.charAt(at - 2));

/** Words are few, and most are met again. */
const known = new Map<string, readonly number[]>();
const MOST_KNOWN = 20_000;

function codesOf(run: string): readonly number[] {
  const found = known.get(run);
  if (found !== undefined) {
    return found;
  }
  const codes = newCodesOf(run.slice(0, LONGEST_RUN));
  if (known.size >= MOST_KNOWN) {
    known.clear();
  }
  if (run.length <= LONGEST_WORD) {
    known.set(run, codes);
  }
  return codes;
}

function newCodesOf(run: string): readonly number[] {
  const { bare } = foldText(run);
  const fact = DIGIT.test(bare) ? numberOf(bare.slice(0, LONGEST_WORD)) : knownWord(bare);
  if (fact !== undefined) {
    return [coded(fact, NUMBER)];
  }
  return partsOf(bare).flatMap(({ word, isJoined }) => {
    if (isJoined) {
      const pairs = pairsOf(word);
      return (pairs.length > 0 ? pairs : [word]).map((pair) => coded(pair, PAIR));
    }
    const isShort = word.length < (DENSE.test(word) ? 3 : 4);
    return [coded(word.slice(0, LONGEST_WORD), isShort ? SHORT : WORD)];
  });
}

function coded(word: string, kind: number): number {
  const stem = hashOf(word.slice(0, STEM)) & 0xffff0000;
  return (stem | (hashOf(word) & 0xfff8) | kind) >>> 0;
}

/** A number in one form: `1,200`, `1.200` and `1 200` are 1200, `2–1` and `2:1` are one result. */
function numberOf(written: string): string {
  return (/^\d{1,3}(?:[.,' ]\d{3})+$/.test(written) ? written.replace(/[.,' ]/g, '') : written)
    .replace(/[:/]/g, '-')
    .replace(/,/g, '.')
    .replace(/(?<![\d.])0+(?=\d)/g, '');
}
