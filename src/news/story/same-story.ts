import { hasFact, isAbout, likeness, stemsIn, weightOf, type Likeness } from './likeness.js';
import {
  addressOf,
  isSpecificLink,
  TEXT_RUN,
  TITLE_RUN,
  type StorySignature,
} from './story-signature.js';
import { isContent, isNumber, stemOf, wordOf } from './story-words.js';

export interface StoryMatch {
  readonly how: 'link' | 'title' | 'text';
  /** 0 to 1. */
  readonly score: number;
}

const FARTHEST_SECONDS = 72 * 3600;

/** Titles of fewer words are names of columns as often as of stories. */
const SHORT_TITLE = 4;

/** Whether two articles are one story: the same text, a copy, an excerpt or a link of it. Symmetric. */
export function sameStory(
  a: StorySignature,
  b: StorySignature,
  isSameSource: boolean,
): StoryMatch | null {
  if (Math.abs(a.publishedSeconds - b.publishedSeconds) > FARTHEST_SECONDS) {
    return null;
  }
  const pair = pairOf(a, b, isSameSource);
  const { titles, texts, isSerial } = pair;
  if (isByLink(pair) && (!isSerial || (texts.runs >= 0.6 && !texts.hasOtherFacts))) {
    return { how: 'link', score: 1 };
  }
  if (isSerial || pair.isForm) {
    return null;
  }
  if (isByText(pair)) {
    return { how: 'text', score: texts.runs };
  }
  return isByTitle(pair) ? { how: 'title', score: titles.runs } : null;
}

type Pair = ReturnType<typeof pairOf>;

/** Two articles side by side. */
function pairOf(a: StorySignature, b: StorySignature, isSameSource: boolean) {
  const titles = likeness(a.title, b.title, TITLE_RUN);
  const texts = likeness(a.text, b.text, TEXT_RUN);
  const [ofA, ofB] = [ownWords(a, b), ownWords(b, a)];
  const isAtOdds = ofA.hasNumber && ofB.hasNumber;
  const isIn = titles.runs >= 0.9 && Math.min(ofA.weight, ofB.weight) === 0;
  const isCopy = isWhole(texts) && isEqual(texts);
  const isPart = texts.allRuns >= 0.97 && texts.longerBeginning >= 0.9 && texts.shorter >= 20;
  const [meant, inBoth] = [Math.min(ofA.meant, ofB.meant), Math.max(ofA.inBoth, ofB.inBoth)];
  const weight = Math.min(weightOf(a.title), weightOf(b.title));
  const isSupported = isAbout(a.title, a.text) || isAbout(b.title, b.text);
  const isAlien = ofA.isInOwnOnly || ofB.isInOwnOnly;
  const isNearly = titles.words === 1 ? weight >= 3 : titles.words >= 0.7 && weight >= SHORT_TITLE;
  return {
    a,
    b,
    isSameSource,
    titles,
    texts,
    /** Whether one title is in the other, but for names of publishers. */
    isSameTitle:
      titles.shorter === 0 || isIn || isFramed(a.title, b.title) || isFramed(b.title, a.title),
    /** Words of the shorter title that say what it is about, and of the other one that this has not. */
    weight,
    added: Math.max(ofA.weight, ofB.weight),
    /** Whether one title has a number or date that the other has not. */
    isNumbered: titles.shorter > 0 && (ofA.hasNumber || ofB.hasNumber),
    /** Whether like titles have different numbers: of a series, a forecast, a result. */
    isSerial: isAtOdds && titles.words > 0.4,
    /** Whether the texts differ in what the titles differ in, like forms that were filled in. */
    isForm: (ofA.isInOwnOnly && ofB.isInOwnOnly) || (isAtOdds && !isEqual(texts)),
    /** Whether the texts agree in what the titles differ in. */
    isTold:
      (inBoth >= 2 && (meant > 0 || isWhole(texts) || isPart)) ||
      (!isAlien && ((isNearly && isSupported) || (isCopy && inBoth >= 1 && meant >= 2))),
    /** Whether a text tells what the titles say; of a column such as "Corrections" none does. */
    isSupported,
  };
}

/** Whether a few words stand before one title, and others behind the same title: both name a publisher. */
function isFramed(a: Uint32Array, b: Uint32Array): boolean {
  return [1, 2, 3, 4].some((from) => {
    const shared = a.subarray(from);
    const isShared = shared.every((code, n) => wordOf(code) === wordOf(b[n] ?? 0));
    return isShared && weightOf(shared) >= SHORT_TITLE;
  });
}

/** The words that only one of two titles has. */
function ownWords(of: StorySignature, other: StorySignature) {
  const [own, others] = [stemsIn(of.text), stemsIn(other.text)];
  const words = of.title.filter((code) => isContent(code) && !hasFact(other.title, code));
  const isInBoth = (code: number) => own.has(stemOf(code)) && others.has(stemOf(code));
  return {
    weight: weightOf(words),
    hasNumber: words.some(isNumber),
    inBoth: weightOf(words.filter(isInBoth)),
    isInOwnOnly: words.some((code) => own.has(stemOf(code)) && !others.has(stemOf(code))),
    /** How many words of the whole title both texts have. */
    meant: weightOf(of.title.filter(isInBoth)),
  };
}

/** Whether neither text is an excerpt of the other. */
const isWhole = (texts: Likeness): boolean => texts.shorter >= texts.longer * 0.85;

const isEqual = (texts: Likeness): boolean => texts.runs >= 0.9 && texts.words >= 0.95;

function isByLink(pair: Pair): boolean {
  const { a, b, isSameSource, titles, texts, isSameTitle, isSupported, weight } = pair;
  const addresses = new Set(a.links.map(addressOf));
  const shared = b.links.filter((link) => addresses.has(addressOf(link)));
  const isSpecific = shared.some((link) => isSpecificLink(link) && a.links.includes(link));
  const isOtherPart = a.part !== b.part && a.part !== 0 && b.part !== 0;
  if (shared.length === 0) {
    return false;
  }
  if (isSpecific && !isSameSource && !isOtherPart) {
    // Else somebody comments on the article under its address.
    return texts.shorter < 40 || texts.runs >= 0.15 || titles.words >= 0.3;
  }
  if (isSameTitle && weight >= SHORT_TITLE && isSupported && !isSameSource && !isOtherPart) {
    return true;
  }
  return texts.shorter < 4
    ? isSameTitle && titles.shorter > 0
    : texts.runs >= 0.5 && !texts.hasOtherFacts;
}

function isByText(pair: Pair): boolean {
  const { titles, texts, isSameTitle, isSupported, isTold, weight } = pair;
  const isLongTitle = isSameTitle && weight >= SHORT_TITLE;
  if (texts.shorter < 8 || texts.hasOtherFacts || texts.beginning < 0.4) {
    return false;
  }
  if (pair.isSameSource) {
    const isRepost = isLongTitle || (isSameTitle ? isSupported : isTold);
    const least = isSameTitle && isSupported && weight >= 3 ? 12 : 30;
    return isRepost && isEqual(texts) && isWhole(texts) && texts.shorter >= least;
  }
  if (isSameTitle) {
    const isCopy = isEqual(texts) && texts.words >= 0.97 && texts.shorter >= 16;
    const isLong = texts.shorter >= 30 && isSupported;
    return isLongTitle ? texts.runs >= 0.4 : isCopy && (isLong || !pair.isNumbered);
  }
  const isLike =
    (isEqual(texts) && texts.shorter >= 16) ||
    (texts.runs >= 0.65 && texts.words >= 0.8 && texts.shorter >= 30) ||
    (texts.runs >= 0.5 && texts.words >= 0.7 && texts.shorter >= 24 && titles.words >= 0.5);
  return isLike && isTold && texts.longerBeginning >= 0.4;
}

/** A summary of another desk says nothing of a text, nor does a headline alone. */
const LONGEST_SUMMARY = 24;

function isByTitle({ a, b, texts, weight, isSupported, ...pair }: Pair): boolean {
  const isSamePublisher = pair.isSameSource || (a.host !== 0 && a.host === b.host);
  if (!pair.isSameTitle || isSamePublisher || (texts.hasOtherFacts && texts.runs >= 0.2)) {
    return false;
  }
  if (texts.shorter > LONGEST_SUMMARY) {
    return weight >= SHORT_TITLE && isSupported && texts.words >= 0.55 && !texts.hasOtherFacts;
  }
  const isHeadline = texts.shorter < 4;
  const least = texts.hasOtherFacts || isHeadline ? 5 : SHORT_TITLE;
  const isLong = isSupported ? weight >= least : isHeadline && weight >= 6;
  // Two summaries under one title may be a column's, of two days.
  const isOneSummary = isHeadline || texts.longer > LONGEST_SUMMARY || texts.words >= 0.5;
  return isLong && isOneSummary && pair.added <= 2 && !pair.isNumbered;
}
