import { hashOfRun } from './hashes.js';
import { isContent, isNumber, sizeOf, stemOf, wordOf } from './story-words.js';

/** How much of the shorter of two texts is in the longer one. */
export interface Likeness {
  /** Words of the shorter and of the longer one. */
  readonly shorter: number;
  readonly longer: number;
  /** Part of the shorter one that is found in runs of the longer one. */
  readonly runs: number;
  /** Part of the words with content of the shorter one that the longer one has anywhere. */
  readonly words: number;
  /** Whether the shorter one has numbers or dates that the longer one has not, and few that it has. */
  readonly hasOtherNumbers: boolean;
}

/** @param run words that must follow each other */
export function likeness(a: Uint32Array, b: Uint32Array, run: number): Likeness {
  const isFirst = a.length < b.length || (a.length === b.length && isBefore(a, b));
  const [shorter, longer] = isFirst ? [a, b] : [b, a];
  const length = Math.min(run, shorter.length);
  const there = new Set(longer.map(wordOf));
  const akin = stemsIn(longer);
  let content = 0;
  let strays = 0;
  let numbers = 0;
  let strayNumbers = 0;
  for (const code of shorter) {
    if (isContent(code)) {
      content += 1;
      strays += akin.has(stemOf(code)) ? 0 : 1;
      numbers += isNumber(code) ? 1 : 0;
      strayNumbers += isNumber(code) && !there.has(wordOf(code)) ? 1 : 0;
    }
  }
  return {
    shorter: sizeOfAll(shorter),
    longer: sizeOfAll(longer),
    runs: length === 0 ? 0 : foundIn(shorter, longer, length) / shorter.length,
    words: content === 0 ? 0 : 1 - strays / content,
    hasOtherNumbers: strayNumbers > numbers / 4,
  };
}

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

/** Words of the shorter one that lie in a run of the longer one. */
function foundIn(shorter: Uint32Array, longer: Uint32Array, length: number): number {
  const runs = new Set<number>();
  for (let at = 0; at + length <= longer.length; at += 1) {
    runs.add(hashOfRun(longer, at, length));
  }
  let found = 0;
  let until = 0;
  for (let at = 0; at + length <= shorter.length; at += 1) {
    if (runs.has(hashOfRun(shorter, at, length))) {
      found += at + length - Math.max(at, until);
      until = at + length;
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
