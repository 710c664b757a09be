import { hasFact, isAbout, likeness, stemsIn, weightOf, type Likeness } from './likeness.js';
import {
  addressOf,
  isSpecificLink,
  TEXT_RUN,
  TITLE_RUN,
  type StorySignature,
} from './story-signature.js';
import { isContent, isNumber, stemOf } from './story-words.js';

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
  /** Words that one of them has besides, such as its publisher's name. */
  readonly added: number;
  /** Words of the shorter title that say what it is about. */
  readonly weight: number;
  /** Whether one title has a number that the other has not. */
  readonly isNumbered: boolean;
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
  const [titles, texts] = [
    likeness(a.title, b.title, TITLE_RUN),
    likeness(a.text, b.text, TEXT_RUN),
  ];
  const [ownOfA, ownOfB] = [ownWords(a, b), ownWords(b, a)];
  const isAtOdds = ownOfA.hasNumber && ownOfB.hasNumber;
  const pair: Pair = {
    a,
    b,
    isSameSource,
    titles,
    texts,
    isSameTitle: areSame(titles, ownOfA, ownOfB),
    added: Math.max(ownOfA.weight, ownOfB.weight),
    weight: Math.min(weightOf(a.title), weightOf(b.title)),
    isNumbered: ownOfA.hasNumber || ownOfB.hasNumber,
    isTold:
      Math.max(ownOfA.inBoth, ownOfB.inBoth) >= 2 &&
      ((ownOfA.isMeant && ownOfB.isMeant) || isWhole(texts)),
  };
  const isOneForm = isAtOdds && titles.words > 0.4;
  const isOneText = texts.runs >= 0.6 && !texts.hasOtherFacts;
  if ((!isOneForm || isOneText) && isByLink(pair)) {
    return { how: 'link', score: 1 };
  }
  // Made by one form, which tells what the titles differ in.
  const isForm = ownOfA.isInOwnOnly && ownOfB.isInOwnOnly;
  const isOther = isForm || isOneForm || (isAtOdds && !isEqual(texts));
  if (!isOther && isByText(pair)) {
    return { how: 'text', score: texts.runs };
  }
  return !isOther && isByTitle(pair) ? { how: 'title', score: titles.runs } : null;
}

/** The words that only one of two titles has. */
interface OwnWords {
  readonly weight: number;
  /** Whether a number or a date is among them: of a series, a forecast, a result. */
  readonly hasNumber: boolean;
  /** How many of them both texts have. */
  readonly inBoth: number;
  /** Whether both texts have any word of the title. */
  readonly isMeant: boolean;
  /** Whether its own text has one that the other text has not. */
  readonly isInOwnOnly: boolean;
}

function ownWords(of: StorySignature, other: StorySignature): OwnWords {
  const [own, others] = [stemsIn(of.text), stemsIn(other.text)];
  const words = of.title.filter((code) => isContent(code) && !hasFact(other.title, code));
  const there = words.filter((code) => own.has(stemOf(code)));
  const isInBoth = (code: number) => own.has(stemOf(code)) && others.has(stemOf(code));
  return {
    weight: weightOf(words),
    hasNumber: words.some(isNumber),
    inBoth: weightOf(there.filter(isInBoth)),
    isMeant: of.title.some((code) => isContent(code) && isInBoth(code)),
    isInOwnOnly: there.some((code) => !others.has(stemOf(code))),
  };
}

/** Whether neither text is an excerpt of the other. */
const isWhole = (texts: Likeness): boolean => texts.shorter >= texts.longer * 0.85;

const isEqual = (texts: Likeness): boolean => texts.runs >= 0.9 && texts.words >= 0.95;

/** Shorter titles are names of columns as often as of stories. */
const SHORT_TITLE = 4;

function areSame(titles: Likeness, ownOfA: OwnWords, ownOfB: OwnWords): boolean {
  const isIn = Math.min(ownOfA.weight, ownOfB.weight) === 0;
  return titles.shorter === 0 || (titles.runs >= 0.9 && isIn);
}

function isByLink({ a, b, isSameSource, titles, texts, isSameTitle }: Pair): boolean {
  const addresses = new Set(a.links.map(addressOf));
  const shared = b.links.filter((link) => addresses.has(addressOf(link)));
  if (shared.length === 0) {
    return false;
  }
  const isSpecific = shared.some((link) => isSpecificLink(link) && a.links.includes(link));
  const isOtherPart = a.part !== b.part && a.part !== 0 && b.part !== 0;
  if (isSameSource || isOtherPart || !isSpecific) {
    return texts.shorter < 4
      ? isSameTitle && titles.shorter > 0
      : texts.runs >= 0.5 && !texts.hasOtherFacts;
  }
  const isOtherText = texts.shorter >= 40 && texts.runs < 0.15 && titles.words < 0.3;
  return !isOtherText;
}

function isByText(pair: Pair): boolean {
  const { isSameSource, titles, texts, isSameTitle, weight } = pair;
  if (texts.shorter < 8 || texts.hasOtherFacts || texts.beginning < 0.4) {
    return false;
  }
  const isSupported = isSameTitle ? isSupportedTitle(pair) : pair.isTold;
  if (isSameSource) {
    const isRepost =
      isEqual(texts) && isWhole(texts) && (isSupported || (isSameTitle && weight >= SHORT_TITLE));
    return isRepost && texts.shorter >= (isSameTitle && isSupported ? 12 : 30);
  }
  if (isSameTitle) {
    const isLong = texts.shorter >= 30 && isSupported;
    const isCopy = isEqual(texts) && texts.words >= 0.97 && texts.shorter >= 16;
    return weight >= SHORT_TITLE ? texts.runs >= 0.4 : isCopy && (isLong || !pair.isNumbered);
  }
  return (
    isSupported &&
    texts.longerBeginning >= 0.4 &&
    ((isEqual(texts) && texts.shorter >= 16) ||
      (texts.runs >= 0.65 && texts.words >= 0.8 && texts.shorter >= 30) ||
      (texts.runs >= 0.5 && texts.words >= 0.7 && texts.shorter >= 24 && titles.words >= 0.5))
  );
}

/** A summary of another desk says nothing of a text, nor does a headline alone. */
const LONGEST_SUMMARY = 24;

function isByTitle(pair: Pair): boolean {
  const { a, b, texts, weight } = pair;
  const isSamePublisher = pair.isSameSource || (a.host !== 0 && a.host === b.host);
  if (!pair.isSameTitle || isSamePublisher || (texts.hasOtherFacts && texts.runs >= 0.2)) {
    return false;
  }
  const isSupported = isSupportedTitle(pair);
  if (texts.shorter <= LONGEST_SUMMARY) {
    const isWhole = pair.added <= 2 && !pair.isNumbered;
    const least = texts.hasOtherFacts || texts.shorter < 4 ? 5 : 4;
    return isWhole && (isSupported ? weight >= least : weight >= 6 && texts.shorter < 4);
  }
  return weight >= SHORT_TITLE && isSupported && texts.words >= 0.55 && !texts.hasOtherFacts;
}

const isSupportedTitle = ({ a, b }: Pair): boolean =>
  isAbout(a.title, a.text) || isAbout(b.title, b.text);
