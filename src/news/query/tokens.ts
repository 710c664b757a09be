import { foldText, JOINED, JOINED_RUN, WORD_CLASS } from './folded-text.js';

/** What is longer is cut, in texts and in queries alike. */
const LONGEST_TOKEN = 64;

const WORDS = new RegExp(`[${WORD_CLASS}]+`, 'gu');
const SIGNS = /[+#]+/y;

/**
 * The tokens by which the index finds a text, each once: its words in lower case, as written and without
 * accents; words with the signs of `c++` and `f#` after them; of scripts without spaces each pair of neighbours, and
 * the last character of a run.
 */
export function tokensOf(text: string): string[] {
  const { exact, bare, exactAt } = foldText(text);
  const hasJoined = JOINED.test(bare);
  const hasAccents = exact !== bare;
  const tokens = new Set<string>();
  const addWord = (from: number, to: number, isLast: boolean) => {
    const word = cut(bare.slice(from, to));
    tokens.add(word);
    if (hasAccents) {
      tokens.add(cut(exact.slice(exactAt?.[from] ?? from, exactAt?.[to] ?? to)));
    }
    SIGNS.lastIndex = to;
    const signs = isLast && isSign(bare.charCodeAt(to)) ? SIGNS.exec(bare) : null;
    if (signs !== null) {
      tokens.add(cut(word + signs[0]));
    }
  };
  for (const { 0: run, index } of bare.matchAll(WORDS)) {
    const end = index + run.length;
    if (!hasJoined) {
      addWord(index, end, true);
      continue;
    }
    for (const { word, from, isJoined } of partsOf(run)) {
      const to = index + from + word.length;
      if (!isJoined) {
        addWord(index + from, to, to === end);
        continue;
      }
      for (const pair of [...pairsOf(word), [...word].at(-1) ?? '']) {
        tokens.add(pair);
      }
    }
  }
  return [...tokens];
}

const isSign = (code: number) => code === 0x2b || code === 0x23;

export const cut = (token: string): string =>
  token.length <= LONGEST_TOKEN
    ? token
    : token.slice(0, LONGEST_TOKEN).replace(/[\ud800-\udbff]$/, '');

interface PartOfRun {
  readonly word: string;
  readonly from: number;
  /** Whether it is of a script without spaces. */
  readonly isJoined: boolean;
}

/** Splits a run of letters where scripts without spaces begin and end. */
export function partsOf(run: string): readonly PartOfRun[] {
  const parts: PartOfRun[] = [];
  let from = 0;
  const other = (to: number) => {
    if (to > from) {
      parts.push({ word: run.slice(from, to), from, isJoined: false });
    }
  };
  for (const { 0: word, index } of run.matchAll(JOINED_RUN)) {
    other(index);
    parts.push({ word, from: index, isJoined: true });
    from = index + word.length;
  }
  other(run.length);
  return parts;
}

/** Neighbours in a run of characters; none of a single one. */
export function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  return characters.slice(1).map((character, n) => (characters[n] ?? '') + character);
}

/** Words of a text; of scripts without spaces, two characters are taken for one. */
export function wordsOf(text: string): number {
  let words = 0;
  for (const [run] of text.matchAll(WORDS)) {
    for (const { word, isJoined } of partsOf(run)) {
      words += isJoined ? Math.ceil(word.length / 2) : 1;
    }
  }
  return words;
}
