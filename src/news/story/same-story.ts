import { isAbout, likeness, stemsIn, weightOf, type Likeness } from './likeness.js';
import { isSpecificLink, type StorySignature } from './story-signature.js';
import { isContent, isNumber, stemOf, wordOf } from './story-words.js';

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
  /** Whether one title is in the other. */
  readonly isSameTitle: boolean;
  /** Whether the texts tell what the titles differ in; a form that is filled in does not. */
  readonly isTold: boolean;
}

/** Whether two articles are one story: the same text, a copy, an excerpt or a link of it. Symmetric. */
export function sameStory(
  a: StorySignature,
  b: StorySignature,
  isSameSource: boolean,
): StoryMatch | null {
  if (Math.abs(a.publishedSeconds - b.publishedSeconds) > FARTHEST_SECONDS) {
    return null;
  }
  const [titles, texts] = [likeness(a.title, b.title, 2), likeness(a.text, b.text, 3)];
  const [ownOfA, ownOfB] = [ownWords(a, b), ownWords(b, a)];
  const isAtOdds = ownOfA.hasNumber && ownOfB.hasNumber;
  const pair: Pair = {
    a,
    b,
    isSameSource,
    titles,
    texts,
    isSameTitle: titles.runs >= 0.9 && !isAtOdds && Math.min(ownOfA.count, ownOfB.count) === 0,
    isTold: ownOfA.isInBoth || ownOfB.isInBoth,
  };
  if (!isAtOdds && isByLink(pair)) {
    return { how: 'link', score: 1 };
  }
  // Made by one form, which tells what the titles differ in.
  const isForm = ownOfA.isInOwnOnly && ownOfB.isInOwnOnly;
  const isOther = isForm || (isAtOdds && (titles.words > 0.4 || !isEqual(texts)));
  if (!isOther && isByText(pair)) {
    return { how: 'text', score: texts.runs };
  }
  return !isOther && isByTitle(pair) ? { how: 'title', score: titles.runs } : null;
}

/** The words that only one of two titles has. */
interface OwnWords {
  readonly count: number;
  /** Whether a number or a date is among them: of a series, a forecast, a result. */
  readonly hasNumber: boolean;
  /** Whether both texts have some of them. */
  readonly isInBoth: boolean;
  /** Whether its own text has one that the other text has not. */
  readonly isInOwnOnly: boolean;
}

function ownWords(of: StorySignature, other: StorySignature): OwnWords {
  const [titles, own, others] = [stemsIn(other.title), stemsIn(of.text), stemsIn(other.text)];
  const words = of.title.filter((code) =>
    isNumber(code) ? !has(other.title, code) : isContent(code) && !titles.has(stemOf(code)),
  );
  const there = words.filter((code) => own.has(stemOf(code)));
  return {
    count: words.length,
    hasNumber: words.some(isNumber),
    isInBoth: weightOf(there.filter((code) => others.has(stemOf(code)))) >= 2,
    isInOwnOnly: there.some((code) => !others.has(stemOf(code))),
  };
}

const has = (codes: Uint32Array, code: number): boolean =>
  codes.some((one) => wordOf(one) === wordOf(code));

const isEqual = (texts: Likeness): boolean => texts.runs >= 0.9 && texts.words >= 0.95;

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

function isByText({ a, b, isSameSource, titles, texts, isSameTitle, isTold }: Pair): boolean {
  if (texts.shorter < 8 || texts.hasOtherNumbers) {
    return false;
  }
  const weight = isSameTitle ? Math.min(weightOf(a.title), weightOf(b.title)) : 0;
  const isSupported = isSameTitle ? isAbout(a.title, a.text) || isAbout(b.title, b.text) : isTold;
  if (isSameSource) {
    const isWhole = texts.shorter >= texts.longer * 0.85;
    const isRepost = isEqual(texts) && isWhole && (isSupported || weight >= 4);
    return isRepost && texts.shorter >= (isSameTitle && isSupported ? 12 : 30);
  }
  if (isSameTitle) {
    return texts.runs >= (isSupported || weight >= 4 ? 0.4 : 0.9);
  }
  return (
    isSupported &&
    ((isEqual(texts) && texts.shorter >= 16) ||
      (texts.runs >= 0.65 && texts.words >= 0.8 && texts.shorter >= 30) ||
      (texts.runs >= 0.5 && texts.words >= 0.7 && texts.shorter >= 24 && titles.words >= 0.5))
  );
}

/** A summary of another desk says nothing of a text, nor does a headline alone. */
const LONGEST_SUMMARY = 24;

function isByTitle({ a, b, isSameSource, texts, isSameTitle }: Pair): boolean {
  const isSamePublisher = isSameSource || (a.host !== 0 && a.host === b.host);
  if (!isSameTitle || isSamePublisher || (texts.hasOtherNumbers && texts.runs >= 0.2)) {
    return false;
  }
  const weight = Math.min(weightOf(a.title), weightOf(b.title));
  const isSupported = isAbout(a.title, a.text) || isAbout(b.title, b.text);
  if (texts.shorter <= LONGEST_SUMMARY) {
    const least = texts.hasOtherNumbers ? 5 : 4;
    return isSupported ? weight >= least : weight >= 6 && texts.shorter < 4;
  }
  return weight >= 4 && isSupported && texts.words >= 0.5 && !texts.hasOtherNumbers;
}
