import { hashOfRun } from './hashes.js';
import { TITLE_RUN } from './story-signature.js';
import { isContent, isFact, isNumber, sizeOf, stemOf, wordOf } from './story-words.js';

const BEGINNING = 20;
/** Of other facts there may be one of so many. */
const FACTS_TO_ONE = 6;

export type Likeness = ReturnType<typeof likeness>;

/**
 * How much of the shorter of two texts is in the longer one.
 *
 * @param run words that must follow each other
 */
export function likeness(a: Uint32Array, b: Uint32Array, run: number) {
  const isFirst = a.length < b.length || (a.length === b.length && isBefore(a, b));
  const [all, longer] = isFirst ? [a, b] : [b, a];
  const length = Math.min(run, all.length);
  const inRuns = foundIn(all, longer, length);
  const [from, end] = [startOf(all, longer), endOf(all, inRuns, longer)];
  const [shorter, found] = [all.subarray(from, end), inRuns.subarray(from, end)];
  const beginning = Math.min(BEGINNING, Math.ceil(found.length / 2));
  const content = shorter.filter(isContent);
  const facts = shorter.filter(isFact);
  const strays = content.filter((code) => !stemsIn(longer).has(stemOf(code))).length;
  const otherFacts = facts.filter((code) => !hasFact(longer, code)).length;
  return {
    /** Words of both. */
    shorter: sizeOfAll(shorter),
    longer: sizeOfAll(longer),
    /** Part of the shorter one that is found in runs of the longer one. */
    runs: partOf(found),
    /** The same, with an author, a place or a footer around it. */
    allRuns: partOf(inRuns),
    /** The same of its beginning, and of the longer one's beginning in it. */
    beginning: partOf(found.subarray(0, beginning)),
    longerBeginning: partOf(foundIn(longer.subarray(0, beginning), shorter, length)),
    /** Part of its words with content that the longer one has anywhere. */
    words: content.length === 0 ? 0 : 1 - strays / content.length,
    /** Whether it has names, numbers or dates that the longer one has not, and few that it has. */
    hasOtherFacts: otherFacts * FACTS_TO_ONE >= Math.max(1, facts.length),
  };
}

/** Any order will do, if it is the same for both. */
function isBefore(a: Uint32Array, b: Uint32Array): boolean {
  const at = a.findIndex((code, n) => code !== b[n]);
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}

const partOf = (found: Uint8Array): number =>
  found.length === 0 ? 0 : found.reduce((sum, one) => sum + one, 0) / found.length;

const sizeOfAll = (codes: Uint32Array): number =>
  codes.reduce((size, code) => size + sizeOf(code), 0);

/** Longest sentence that says by whom and where a text is, or asks for a subscription. */
const LONGEST_FRAME = 14;
const SURE_RUN = 10;
const SURE_TEXT = 40;

/** Where the longer text begins in the other, behind an author, a place or a date. */
function startOf(text: Uint32Array, longer: Uint32Array): number {
  const start = text
    .subarray(0, LONGEST_FRAME)
    .findIndex((_, from) =>
      longer.subarray(0, SURE_RUN).every((code, n) => wordOf(code) === wordOf(text[from + n] ?? 0)),
    );
  return longer.length < SURE_RUN ? 0 : Math.max(0, start);
}

/** Where it ends, if a sentence follows a run that the longer text has: a long one, or one without numbers. */
function endOf(text: Uint32Array, found: Uint8Array, longer: Uint32Array): number {
  const end = found.lastIndexOf(1) + 1;
  const isRun = end >= SURE_RUN && !found.subarray(end - SURE_RUN, end).includes(0);
  const isExcerpt = longer.length >= end + LONGEST_FRAME && !text.subarray(end).some(isNumber);
  const isFrame = isRun && text.length - end <= LONGEST_FRAME;
  return isFrame && (isExcerpt || end >= SURE_TEXT) ? end : text.length;
}

/** Which words of the shorter one lie in a run of the longer one. */
function foundIn(shorter: Uint32Array, longer: Uint32Array, length: number): Uint8Array {
  const runs = RUNS[length]?.(longer) ?? new Set();
  const found = new Uint8Array(shorter.length);
  for (let at = 0; at + length <= shorter.length; at += 1) {
    if (runs.has(hashOfRun(shorter, at, length))) {
      found.fill(1, at, at + length);
    }
  }
  return found;
}

/** What was made of a text is kept while it is compared with others. */
function keptBy<Made>(make: (codes: Uint32Array) => Made): (codes: Uint32Array) => Made {
  const kept = new WeakMap<Uint32Array, Made>();
  return (codes) => {
    const made = kept.get(codes) ?? make(codes);
    kept.set(codes, made);
    return made;
  };
}

export const stemsIn = keptBy((codes): ReadonlySet<number> => new Set(codes.map(stemOf)));
const wordsIn = keptBy((codes): ReadonlySet<number> => new Set(codes.map(wordOf)));
/** Hashes of the runs of so many words. */
const RUNS = Array.from({ length: TITLE_RUN + 1 }, (_, length) =>
  keptBy((codes): ReadonlySet<number> => {
    const starts = codes.subarray(0, Math.max(0, codes.length - length + 1));
    return new Set(starts.map((_code, at) => hashOfRun(codes, at, length)));
  }),
);

/** Whether a number is there as it is, or a word in any form. */
export const hasFact = (codes: Uint32Array, code: number): boolean =>
  isNumber(code) ? wordsIn(codes).has(wordOf(code)) : stemsIn(codes).has(stemOf(code));

/** Words that say what a title is about. */
export const weightOf = (title: Uint32Array): number => sizeOfAll(title.filter(isContent));

/** Whether a text has a good part of the words of a title: one like "Corrections" has none there. */
export function isAbout(title: Uint32Array, text: Uint32Array): boolean {
  const found = weightOf(title.filter((code) => stemsIn(text).has(stemOf(code))));
  return found >= 2 && found >= weightOf(title) / 3;
}
