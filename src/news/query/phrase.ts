import {
  before,
  foldText,
  hasJoined,
  isJoinedAt,
  isLetterAt,
  isWordAt,
  WORD_CLASS,
  type FoldedText,
} from './folded-text.js';
import { KeywordSearch } from './keyword-search.js';
import type { TextFind } from './query.js';

/**
 * Words as they are sought: whole words; a word without accents finds both, one with accents only itself; a
 * space between words stands for any signs, written signs must be there, with a space beside them only a space.
 */
export class Phrase {
  readonly isPrefix: boolean;
  /** Parts between spaces. */
  readonly chunks: readonly Chunk[];
  /** The phrase if it has neither signs nor accents; else null. */
  readonly plainWords: string | null;

  constructor({ text, isPrefix }: Extract<TextFind, { kind: 'phrase' }>) {
    const { exact, bare } = foldText(text);
    this.chunks = exact.trim().split(' ').map(chunkOf);
    this.isPrefix = isPrefix;
    const isOneOrParted = this.chunks.length === 1 || !hasJoined(bare);
    this.plainWords = exact === bare && PLAIN_WORDS.test(bare) && isOneOrParted ? bare : null;
  }

  /** What each place begins with. */
  get beginning(): string {
    return this.chunks[0]?.bare ?? '';
  }

  isIn(text: FoldedText): boolean {
    return this.next(text, 0) !== null;
  }

  /** Whether the text is nothing else. */
  isAllOf(text: FoldedText): boolean {
    return text.bare.startsWith(this.beginning) && this.endAt(text, 0) === text.bare.length;
  }

  /** The first place at or after `from` in `text.bare`. */
  next(text: FoldedText, from: number): readonly [from: number, to: number] | null {
    for (
      let at = text.bare.indexOf(this.beginning, from);
      at !== -1;
      at = text.bare.indexOf(this.beginning, at + 1)
    ) {
      const end = this.endAt(text, at);
      if (end !== -1) {
        return [at, end];
      }
    }
    return null;
  }

  /** Where the phrase ends that begins with its `beginning` at a position; -1 if it does not. */
  endAt(text: FoldedText, start: number): number {
    const { bare } = text;
    if (!beginsAt(bare, start)) {
      return -1;
    }
    let at = start;
    for (const [n, chunk] of this.chunks.entries()) {
      if (n > 0) {
        at = afterSpace(bare, at, chunk);
        if (at === -1 || !bare.startsWith(chunk.bare, at)) {
          return -1;
        }
      }
      if (!hasAccents(chunk, text, at)) {
        return -1;
      }
      at += chunk.bare.length;
    }
    return this.endsAt(bare, at) ? at : -1;
  }

  endsAt(bare: string, at: number): boolean {
    return this.isPrefix || !isWordAt(bare, before(bare, at)) || !isWordAt(bare, at);
  }
}

function beginsAt(bare: string, at: number): boolean {
  return !isWordAt(bare, at) || !isWordAt(bare, before(bare, at));
}

const PLAIN_WORDS = new RegExp(`^[${WORD_CLASS}]+(?: [${WORD_CLASS}]+)*$`, 'u');
const NO_WORDS = new RegExp(`[^${WORD_CLASS}]+`, 'gu');

/** A part of a phrase without spaces, accent-free. */
interface Chunk {
  readonly bare: string;
  /** Words with accents, which must be the same in the text. */
  readonly words: readonly { readonly from: number; readonly to: number; readonly exact: string }[];
}

function chunkOf(exact: string): Chunk {
  const words: Chunk['words'][number][] = [];
  let bare = '';
  for (const [part] of exact.matchAll(WORDS_AND_SIGNS)) {
    const plain = foldText(part).bare;
    if (plain !== part) {
      words.push({ from: bare.length, to: bare.length + plain.length, exact: part });
    }
    bare += plain;
  }
  return { bare, words };
}

const WORDS_AND_SIGNS = new RegExp(`[${WORD_CLASS}]+|[^${WORD_CLASS}]+`, 'gu');

function hasAccents({ words }: Chunk, text: FoldedText, start: number): boolean {
  const exactAt = (at: number) => text.exactAt?.[at] ?? at;
  return words.every(
    ({ from, to, exact }) => text.exact.slice(exactAt(start + from), exactAt(start + to)) === exact,
  );
}

/** Where the chunk after a space begins; -1 without a space. */
function afterSpace(bare: string, from: number, next: Chunk): number {
  const last = before(bare, from);
  if (!isLetterAt(bare, last) || !isLetterAt(next.bare, 0)) {
    return bare.charAt(from) === ' ' ? from + 1 : -1;
  }
  let at = from;
  while (at < bare.length && !isLetterAt(bare, at)) {
    at += (bare.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at > from || isJoinedAt(bare, last) || isJoinedAt(bare, at) ? at : -1;
}

/** Many phrases, sought in one pass: 12,000 words cost as 12. */
export class PhraseSearch {
  /** Words, in a text of words alone. */
  readonly #plain: readonly (readonly [words: string, phrases: readonly Phrase[]])[];
  readonly #words: KeywordSearch;
  /** The others by their beginnings. */
  readonly #others: readonly (readonly [beginning: string, phrases: readonly Phrase[]])[];
  readonly #beginnings: KeywordSearch;

  constructor(phrases: Iterable<Phrase>) {
    const all = [...phrases];
    this.#plain = [
      ...Map.groupBy(
        all.filter(({ plainWords }) => plainWords !== null),
        ({ plainWords }) => plainWords ?? '',
      ),
    ];
    this.#others = [
      ...Map.groupBy(
        all.filter(({ plainWords }) => plainWords === null),
        ({ beginning }) => beginning,
      ),
    ];
    this.#words = new KeywordSearch(this.#plain.map(([words]) => words));
    this.#beginnings = new KeywordSearch(this.#others.map(([beginning]) => beginning));
  }

  /** Those that are in the text. */
  foundIn(text: FoldedText): ReadonlySet<Phrase> {
    const found = new Set<Phrase>();
    if (!this.#words.isEmpty) {
      const words = text.bare.replace(NO_WORDS, ' ');
      this.#words.find(words, (keyword, start, end) => {
        if (beginsAt(words, start)) {
          for (const phrase of this.#plain[keyword]?.[1] ?? []) {
            if (phrase.endsAt(words, end)) {
              found.add(phrase);
            }
          }
        }
        return false;
      });
    }
    if (!this.#beginnings.isEmpty) {
      this.#beginnings.find(text.bare, (keyword, start) => {
        for (const phrase of this.#others[keyword]?.[1] ?? []) {
          if (!found.has(phrase) && phrase.endAt(text, start) !== -1) {
            found.add(phrase);
          }
        }
        return false;
      });
    }
    return found;
  }
}
