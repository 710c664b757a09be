import { hashOfRun } from './hashes.js';
import type { StorySignature } from './story-signature.js';
import { isNumber } from './story-words.js';

export interface StoryMatch {
  readonly how: 'link' | 'title' | 'text';
  /** 0 to 1. */
  readonly score: number;
}

const FARTHEST_SECONDS = 72 * 3600;

/** Whether two articles are one story: the same text, a copy, an excerpt or a link of it. Symmetric. */
export function sameStory(
  a: StorySignature,
  b: StorySignature,
  isSameSource: boolean,
): StoryMatch | null {
  if (Math.abs(a.publishedSeconds - b.publishedSeconds) > FARTHEST_SECONDS) {
    return null;
  }
  const titles = likeness(a.title, b.title);
  if (conflict(a.title, b.title)) {
    return null;
  }
  const texts = likeness(a.text, b.text);
  const isSameLink = a.links.some((link) => b.links.includes(link));
  if (isSameLink && (isSameSource || a.isVague || b.isVague ? titles > 0.8 || texts > 0.8 : true)) {
    return { how: 'link', score: 1 };
  }
  const words = Math.min(a.text.length, b.text.length);
  const isSamePublisher = isSameSource || (a.host !== 0 && a.host === b.host);
  const isSameTitle = titles > 0.9 && Math.min(a.title.length, b.title.length) >= 5;
  if (isSamePublisher) {
    return texts > 0.9 && isSameTitle && words >= 12 ? { how: 'text', score: texts } : null;
  }
  if (words >= 12 && texts > 0.85 && (isSameTitle || words >= 40)) {
    return { how: 'text', score: texts };
  }
  return isSameTitle && (words < 12 || texts > 0.2) ? { how: 'title', score: titles } : null;
}

/** How much of the shorter is in the longer. */
function likeness(a: Uint32Array, b: Uint32Array): number {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a];
  const run = Math.min(3, shorter.length);
  if (run === 0) {
    return 0;
  }
  const runs = new Set<number>();
  for (let at = 0; at + run <= longer.length; at += 1) {
    runs.add(hashOfRun(longer, at, run));
  }
  let found = 0;
  const all = shorter.length - run + 1;
  for (let at = 0; at < all; at += 1) {
    found += runs.has(hashOfRun(shorter, at, run)) ? 1 : 0;
  }
  return found / all;
}

/** Whether both have numbers or dates that the other has not. */
function conflict(a: Uint32Array, b: Uint32Array): boolean {
  const lacks = (one: Uint32Array, other: Uint32Array) =>
    one.some((code) => isNumber(code) && !other.includes(code));
  return lacks(a, b) && lacks(b, a);
}
