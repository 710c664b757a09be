import { isAbout, likeness, weightOf, wordsIn, type Likeness } from './likeness.js';
import { isSpecificLink, type StorySignature } from './story-signature.js';
import { isContent, isNumber, wordOf } from './story-words.js';

export interface StoryMatch {
  readonly how: 'link' | 'title' | 'text';
  /** 0 to 1. */
  readonly score: number;
}

const FARTHEST_SECONDS = 72 * 3600;

/** Two articles side by side. */
interface Pair {
  readonly a: StorySignature;
  readonly b: StorySignature;
  readonly isSameSource: boolean;
  readonly titles: Likeness;
  readonly texts: Likeness;
  /** Whether one title is in the other, but for a word. */
  readonly isSameTitle: boolean;
}

/** Whether two articles are one story: the same text, a copy, an excerpt or a link of it. Symmetric. */
export function sameStory(
  a: StorySignature,
  b: StorySignature,
  isSameSource: boolean,
): StoryMatch | null {
  const isNear = Math.abs(a.publishedSeconds - b.publishedSeconds) <= FARTHEST_SECONDS;
  if (!isNear || haveOtherNumbers(a.title, b.title)) {
    return null;
  }
  const titles = likeness(a.title, b.title, 2);
  const texts = likeness(a.text, b.text, 3);
  const pair = {
    a,
    b,
    isSameSource,
    titles,
    texts,
    isSameTitle: titles.runs >= 0.85 && titles.shorter >= 2,
  };
  if (isByLink(pair)) {
    return { how: 'link', score: 1 };
  }
  if (contradict(a, b)) {
    return null;
  }
  if (isByText(pair)) {
    return { how: 'text', score: texts.runs };
  }
  return isByTitle(pair) ? { how: 'title', score: titles.runs } : null;
}

/** Whether both titles have numbers or dates that the other has not: of a series, a forecast, a result. */
function haveOtherNumbers(a: Uint32Array, b: Uint32Array): boolean {
  return hasOtherNumbers(a, b) && hasOtherNumbers(b, a);
}

function hasOtherNumbers(one: Uint32Array, other: Uint32Array): boolean {
  const there = wordsIn(other);
  return one.some((code) => isNumber(code) && !there.has(wordOf(code)));
}

/**
 * Whether each title has a word that its own text has, too, and the other text has not, as of texts made by
 * one form.
 */
function contradict(a: StorySignature, b: StorySignature): boolean {
  const [inA, inB] = [wordsIn(a.text), wordsIn(b.text)];
  const [titleA, titleB] = [wordsIn(a.title), wordsIn(b.title)];
  const isOwn = (
    code: number,
    own: ReadonlySet<number>,
    other: ReadonlySet<number>,
    title: ReadonlySet<number>,
  ) =>
    isContent(code) &&
    own.has(wordOf(code)) &&
    !other.has(wordOf(code)) &&
    !title.has(wordOf(code));
  return (
    a.title.some((code) => isOwn(code, inA, inB, titleB)) &&
    b.title.some((code) => isOwn(code, inB, inA, titleA))
  );
}

function isByLink({ a, b, isSameSource, titles, texts }: Pair): boolean {
  const shared = a.links.filter((link) => b.links.includes(link));
  if (shared.length === 0) {
    return false;
  }
  const isLike = titles.runs >= 0.6 || texts.runs >= 0.5;
  const isOtherPart = a.fragment !== b.fragment && a.fragment !== 0 && b.fragment !== 0;
  if (isSameSource || isOtherPart || !shared.some(isSpecificLink)) {
    return isLike;
  }
  const isOtherText = texts.shorter >= 40 && texts.runs < 0.15 && titles.words < 0.3;
  return !isOtherText;
}

function isByText({ a, b, isSameSource, titles, texts, isSameTitle }: Pair): boolean {
  if (texts.shorter < 8 || texts.hasOtherNumbers) {
    return false;
  }
  const isSupported = isAbout(a.title, a.text) || isAbout(b.title, b.text);
  const isEqual = texts.runs >= 0.9 && texts.words >= 0.95;
  if (isSameSource) {
    const isWhole = texts.shorter >= texts.longer * 0.85;
    return (
      isEqual &&
      isWhole &&
      texts.shorter >= 12 &&
      isSupported &&
      (isSameTitle || texts.shorter >= 30)
    );
  }
  if (isSameTitle) {
    const weight = Math.min(weightOf(a.title), weightOf(b.title));
    return texts.runs >= (isSupported || weight >= 4 ? 0.4 : 0.9);
  }
  return (
    isSupported &&
    ((isEqual && texts.shorter >= 16) ||
      (texts.runs >= 0.7 && texts.words >= 0.8 && texts.shorter >= 40) ||
      (texts.runs >= 0.5 && texts.words >= 0.7 && texts.shorter >= 24 && titles.words >= 0.5))
  );
}

/** A summary of another desk says nothing of a text, nor does a headline alone. */
const LONGEST_SUMMARY = 24;

function isByTitle({ a, b, isSameSource, texts, isSameTitle }: Pair): boolean {
  const isSamePublisher = isSameSource || (a.host !== 0 && a.host === b.host);
  if (!isSameTitle || isSamePublisher || texts.hasOtherNumbers) {
    return false;
  }
  const weight = Math.min(weightOf(a.title), weightOf(b.title));
  const isSupported = isAbout(a.title, a.text) || isAbout(b.title, b.text);
  if (texts.shorter <= LONGEST_SUMMARY) {
    return weight >= (isSupported ? 4 : 6) && (isSupported || texts.shorter < 4);
  }
  return weight >= 4 && isSupported && texts.words >= 0.5;
}
