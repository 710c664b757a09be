import {
  before,
  foldText,
  isJoinedAt,
  isLetterAt,
  isWordAt,
  type FoldedText,
} from './folded-text.js';
import type { TextFind } from './query.js';

/**
 * Words as they are sought: whole words; a word without accents finds both, one with accents only itself; a
 * space between words stands for any signs, written signs must be there.
 */
export class Phrase {
  /** What each found place begins with: the phrase up to its first space. */
  readonly beginning: string;
  /** Whether each whole-word place of `beginning` is one of the phrase. */
  readonly isBeginning: boolean;
  readonly #chunks: readonly Chunk[];
  readonly #isPrefix: boolean;

  constructor({ text, isPrefix }: Extract<TextFind, { kind: 'phrase' }>) {
    this.#chunks = foldText(text).exact.trim().split(' ').map(chunkOf);
    this.#isPrefix = isPrefix;
    this.beginning = this.#chunks[0]?.bare ?? '';
    this.isBeginning = this.#chunks.length === 1 && this.#chunks[0]?.words.length === 0;
  }

  /** Chunks between spaces, accent-free. */
  get chunks(): readonly Chunk[] {
    return this.#chunks;
  }

  get isPrefix(): boolean {
    return this.#isPrefix;
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
    if (isWordAt(bare, start) && isWordAt(bare, before(bare, start))) {
      return -1;
    }
    let at = start;
    for (const [n, chunk] of this.#chunks.entries()) {
      if (n > 0) {
        at = this.#afterSpace(bare, at, chunk);
        if (at === -1 || !bare.startsWith(chunk.bare, at)) {
          return -1;
        }
      }
      if (!hasAccents(chunk, text, at)) {
        return -1;
      }
      at += chunk.bare.length;
    }
    return !this.#isPrefix && isWordAt(bare, before(bare, at)) && isWordAt(bare, at) ? -1 : at;
  }

  /** Where the next chunk begins; -1 without a space. */
  #afterSpace(bare: string, from: number, next: Chunk): number {
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
}

interface Chunk {
  readonly bare: string;
  /** Words with accents, which must be the same in the text. */
  readonly words: readonly { readonly from: number; readonly to: number; readonly exact: string }[];
}

function chunkOf(exact: string): Chunk {
  const words: Chunk['words'][number][] = [];
  let bare = '';
  for (const [part] of exact.matchAll(/[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_]+/gu)) {
    const plain = foldText(part).bare;
    if (plain !== part) {
      words.push({ from: bare.length, to: bare.length + plain.length, exact: part });
    }
    bare += plain;
  }
  return { bare, words };
}

function hasAccents({ words }: Chunk, text: FoldedText, start: number): boolean {
  const exactAt = (at: number) => text.exactAt?.[at] ?? at;
  return words.every(
    ({ from, to, exact }) => text.exact.slice(exactAt(start + from), exactAt(start + to)) === exact,
  );
}
