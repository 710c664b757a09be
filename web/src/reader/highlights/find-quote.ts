import type { Quote } from '../model/highlights-api.js';

/** First, and the one after the last, in UTF-16 code units. */
export type Place = readonly [from: number, to: number];

/** Characters of a quote's context. */
const CONTEXT = 48;

export function quoteAt(text: string, [from, to]: Place): Quote {
  return {
    exact: text.slice(from, to),
    prefix: text.slice(Math.max(0, from - CONTEXT), from).toWellFormed(),
    suffix: text.slice(to, to + CONTEXT).toWellFormed(),
    position: from,
  };
}

/** A text without what publishers change unseen: spaces, and the form of quotation marks and dashes. */
interface Squeezed {
  readonly text: string;
  /** Of each code unit, its place in the text as it was. */
  readonly places: readonly number[];
}

const FORMS: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
};

function squeeze(text: string): Squeezed {
  const places: number[] = [];
  let squeezed = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (!/[\s\u00ad\u200b-\u200f\u2060\ufeff]/.test(sign)) {
      squeezed += FORMS[sign] ?? sign;
      places.push(at);
    }
  }
  return { text: squeezed, places };
}

/** Exactly these words are the same ones also where nothing around them is left; if they are there once, fewer. */
const TELLING_CHARACTERS = 40;
const TELLING_ONCE = 16;
/** Fewer words must be there exactly: one that is corrected would be another quote. */
const FEWEST_ALIKE = 4;
const MOST_FOUND = 1000;

/** Many quotes are sought in one text. */
let latest: { readonly of: string; readonly squeezed: Squeezed } | undefined;

/**
 * Finds a quote in a text that may have changed: the same words, whose context decides between repeated
 * ones; else almost the same ones. Null rather than others.
 */
export function findQuote(text: string, quote: Quote): Place | null {
  if (latest?.of !== text) {
    latest = { of: text, squeezed: squeeze(text) };
  }
  return exactly(latest.squeezed, quote) ?? alike(text, quote);
}

interface Candidate {
  readonly from: number;
  readonly to: number;
  /** Matching characters or words. */
  readonly score: number;
}

function exactly({ text, places }: Squeezed, quote: Quote): Place | null {
  const [exact, prefix, suffix] = [quote.exact, quote.prefix, quote.suffix].map(
    (part) => squeeze(part).text,
  ) as [string, string, string];
  if (exact === '') {
    return null;
  }
  const candidates: Candidate[] = [];
  for (
    let at = text.indexOf(exact);
    at !== -1 && candidates.length < MOST_FOUND;
    at = text.indexOf(exact, at + 1)
  ) {
    const to = at + exact.length;
    const before = agreeing(prefix.length, (n) => prefix.at(-1 - n) === text[at - 1 - n]);
    const after = agreeing(suffix.length, (n) => suffix[n] === text[to + n]);
    candidates.push({ from: at, to, score: before + after });
  }
  const best = bestOf(candidates, (one) => Math.abs((places[one.from] ?? 0) - quote.position));
  const context = prefix.length + suffix.length;
  const isSure =
    best !== null &&
    (exact.length >= (candidates.length === 1 ? TELLING_ONCE : TELLING_CHARACTERS) ||
      2 * (exact.length + best.score) >= exact.length + context);
  return isSure ? [places[best.from] ?? 0, (places[best.to - 1] ?? 0) + 1] : null;
}

/** How many of the first ones agree. */
function agreeing(count: number, agrees: (n: number) => boolean): number {
  let n = 0;
  while (n < count && agrees(n)) {
    n += 1;
  }
  return n;
}

function bestOf(
  candidates: readonly Candidate[],
  distance: (one: Candidate) => number,
): Candidate | null {
  const rank = (a: Candidate, b: Candidate) => b.score - a.score || distance(a) - distance(b);
  return candidates.toSorted(rank)[0] ?? null;
}

interface Word {
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/** Of scripts that write no spaces, each sign is a word. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu;

const wordsOf = (text: string): readonly Word[] =>
  Array.from(text.matchAll(WORDS), ({ 0: word, index }) => ({
    word: word.toLowerCase(),
    from: index,
    to: index + word.length,
  }));

/** Words of the text times words of the quote: takes at most some tens of milliseconds. */
const MOST_COMPARED = 4_000_000;
const WORDS_AROUND = 3;

/**
 * A passage in which at most every fourth word is another one, and next to which the words before or after the
 * quote still stand. Its numbers must be there: lists repeat a sentence with other ones.
 */
function alike(text: string, quote: Quote): Place | null {
  const [words, exact] = [wordsOf(text), wordsOf(quote.exact).map(({ word }) => word)];
  if (exact.length < FEWEST_ALIKE || exact.length * words.length > MOST_COMPARED) {
    return null;
  }
  const [prefix, suffix] = [quote.prefix, quote.suffix].map((part) =>
    wordsOf(part).map(({ word }) => word),
  ) as [string[], string[]];
  const candidates = passagesLike(exact, words).flatMap(({ from, to, errors }) =>
    [from, from + 1].map((start) => {
      // The first word of the context may be a part of one.
      const before = agreeing(
        prefix.length - 1,
        (n) => prefix.at(-1 - n) === words[start - 1 - n]?.word,
      );
      const after = agreeing(suffix.length - 1, (n) => suffix[n] === words[to + n]?.word);
      return { from: start, to, score: before + after - 2 * errors, side: Math.max(before, after) };
    }),
  );
  const sure = candidates
    .filter(
      ({ from, to, side }) => side >= WORDS_AROUND && hasNumbersOf(exact, words.slice(from, to)),
    )
    .toSorted((a, b) => b.score - a.score);
  const [best] = sure;
  if (best === undefined) {
    return null;
  }
  const isRepeated = sure.some(
    ({ from, to, score }) => score === best.score && (to <= best.from || from >= best.to),
  );
  return isRepeated ? null : [words[best.from]?.from ?? 0, words[best.to - 1]?.to ?? 0];
}

const hasNumbersOf = (exact: readonly string[], words: readonly Word[]) => {
  const there = new Set(words.map(({ word }) => word));
  return exact.every((word) => !/\p{N}/u.test(word) || there.has(word));
};

/** Passages with few other, missing and added words, in words: Sellers' algorithm. */
function passagesLike(exact: readonly string[], words: readonly Word[]) {
  const most = Math.floor(exact.length / FEWEST_ALIKE);
  const found: { from: number; to: number; errors: number }[] = [];
  let errors = Array.from({ length: exact.length + 1 }, (_, n) => n);
  let starts = errors.map(() => 0);
  words.forEach(({ word }, at) => {
    const nextErrors = [0];
    const nextStarts = [at + 1];
    for (let n = 1; n <= exact.length; n += 1) {
      const other = (errors[n - 1] ?? 0) + (exact[n - 1] === word ? 0 : 1);
      const missing = (nextErrors[n - 1] ?? 0) + 1;
      const added = (errors[n] ?? 0) + 1;
      const least = Math.min(other, missing, added);
      nextErrors.push(least);
      nextStarts.push(
        (least === other
          ? n === 1
            ? at
            : starts[n - 1]
          : least === added
            ? starts[n]
            : nextStarts[n - 1]) ?? 0,
      );
    }
    [errors, starts] = [nextErrors, nextStarts];
    const count = errors[exact.length] ?? Infinity;
    if (count <= most && found.length < MOST_FOUND) {
      found.push({ from: starts[exact.length] ?? 0, to: at + 1, errors: count });
    }
  });
  return found;
}
