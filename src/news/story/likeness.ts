import { hashOfRun } from './hashes.js';
import { isContent, isFact, isNumber, sizeOf, stemOf, wordOf } from './story-words.js';

/** How much of the shorter of two texts is in the longer one. */
export interface Likeness {
  /** Words of the shorter and of the longer one. */
  readonly shorter: number;
  readonly longer: number;
  /** Part of the shorter one that is found in runs of the longer one. */
  readonly runs: number;
  /** The same of its beginning, and of the longer one's beginning in it. */
  readonly beginning: number;
  readonly longerBeginning: number;
  /** Part of the words with content of the shorter one that the longer one has anywhere. */
  readonly words: number;
  /** Whether the shorter one has names, numbers or dates that the longer one has not, and few that it has. */
  readonly hasOtherFacts: boolean;
}

const BEGINNING = 20;

/** @param run words that must follow each other */
export function likeness(a: Uint32Array, b: Uint32Array, run: number): Likeness {
  const isFirst = a.length < b.length || (a.length === b.length && isBefore(a, b));
  const [all, longer] = isFirst ? [a, b] : [b, a];
  const shorter = withoutEnd(all, foundIn(all, longer, Math.min(run, all.length)), longer);
  const there = new Set(longer.map(wordOf));
  const akin = stemsIn(longer);
  const content = shorter.filter(isContent);
  const facts = shorter.filter(isFact);
  const strayFacts = facts.filter((code) =>
    isNumber(code) ? !there.has(wordOf(code)) : !akin.has(stemOf(code)),
  );
  const strays = content.filter((code) => !akin.has(stemOf(code)));
  const length = Math.min(run, shorter.length);
  const found = foundIn(shorter, longer, length);
  const beginning = Math.min(BEGINNING, Math.ceil(found.length / 2));
  return {
    shorter: sizeOfAll(shorter),
    longer: sizeOfAll(longer),
    runs: partOf(found),
    beginning: partOf(found.subarray(0, beginning)),
    longerBeginning: partOf(foundIn(longer.subarray(0, beginning), shorter, length)),
    words: content.length === 0 ? 0 : 1 - strays.length / content.length,
    hasOtherFacts: strayFacts.length * 6 >= Math.max(1, facts.length),
  };
}

/** Longest sentence that asks for a subscription, or says by whom a text is. */
const LONGEST_END = 14;

/** Without what an excerpt ends with, behind a long run that the longer text has, unless there are numbers. */
function withoutEnd(text: Uint32Array, found: Uint8Array, longer: Uint32Array): Uint32Array {
  const end = found.lastIndexOf(1) + 1;
  const isRun = end >= 10 && !found.subarray(end - 10, end).includes(0);
  const isExcerpt = text.length - end <= LONGEST_END && longer.length >= end + LONGEST_END;
  return isRun && isExcerpt && !text.subarray(end).some(isNumber) ? text.subarray(0, end) : text;
}

const partOf = (found: Uint8Array): number =>
  found.length === 0 ? 0 : found.reduce((sum, one) => sum + one, 0) / found.length;

/** Any order will do, if it is the same for both. */
function isBefore(a: Uint32Array, b: Uint32Array): boolean {
  const at = a.findIndex((code, n) => code !== b[n]);
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}

export const stemsIn = (codes: Uint32Array): ReadonlySet<number> => new Set(codes.map(stemOf));

function sizeOfAll(codes: Uint32Array): number {
  let size = 0;
  for (const code of codes) {
    size += sizeOf(code);
  }
  return size;
}

/** Which words of the shorter one lie in a run of the longer one. */
function foundIn(shorter: Uint32Array, longer: Uint32Array, length: number): Uint8Array {
  const runs = new Set<number>();
  for (let at = 0; at + length <= longer.length; at += 1) {
    runs.add(hashOfRun(longer, at, length));
  }
  const found = new Uint8Array(shorter.length);
  for (let at = 0; at + length <= shorter.length; at += 1) {
    if (runs.has(hashOfRun(shorter, at, length))) {
      found.fill(1, at, at + length);
    }
  }
  return found;
}

/** Words that say what a title is about. */
export function weightOf(title: Iterable<number>): number {
  let weight = 0;
  for (const code of title) {
    weight += isContent(code) ? sizeOf(code) : 0;
  }
  return weight;
}

/** Whether a text has a good part of the words of a title: one like "Corrections" has none there. */
export function isAbout(title: Uint32Array, text: Uint32Array): boolean {
  const there = stemsIn(text);
  const found = weightOf(title.filter((code) => there.has(stemOf(code))));
  return found >= 2 && found >= weightOf(title) / 3;
}
