import type { Turns } from '../../common/turns.js';
import {
  before,
  foldText,
  isJoinedAt,
  isLetterAt,
  isWordAt,
  JOINED_CLASS,
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
  /** The words alone, up to a space that may be missing in a text, as between 東京 and 大雨. */
  readonly firstWords: string;
  /** Whether it is nothing but these words, without accents. */
  readonly isPlain: boolean;
  /** What stands before the first word. */
  readonly signsBefore: number;

  constructor({ text, isPrefix }: Extract<TextFind, { kind: 'phrase' }>) {
    const { exact, bare } = foldText(text.trim());
    this.chunks = exact.split(' ').map(chunkOf);
    this.isPrefix = isPrefix;
    const words = bare.replace(NO_WORDS, ' ').trim();
    this.firstWords = words.replace(JOINED_SPACE, '');
    this.isPlain = this.firstWords === bare && exact === bare;
    this.signsBefore = Math.max(bare.search(WORD), 0);
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

  /** Where the phrase ends that begins at a position; -1 if none does. */
  endAt(text: FoldedText, start: number): number {
    const { bare } = text;
    if (!beginsAt(bare, start)) {
      return -1;
    }
    let at = start;
    for (const [n, chunk] of this.chunks.entries()) {
      if (n > 0) {
        at = afterSpace(bare, at, chunk);
        if (at === -1) {
          return -1;
        }
      }
      if (!bare.startsWith(chunk.bare, at) || !hasAccents(chunk, text, at)) {
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

const WORD = new RegExp(`[${WORD_CLASS}]`, 'u');
/** From a space beside a script without spaces on. */
const JOINED_SPACE = new RegExp(` (?:(?<=[${JOINED_CLASS}] )|(?=[${JOINED_CLASS}])).*`, 'u');
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
  readonly #groups: readonly (readonly [words: string, phrases: readonly Phrase[]])[];
  readonly #words: KeywordSearch;
  readonly #signs: readonly Phrase[];

  /** @param words of the phrases, if they are prepared */
  constructor(
    readonly phrases: readonly Phrase[],
    { signs, groups } = grouped(phrases),
    words = new KeywordSearch([...groups.keys()]),
  ) {
    this.#signs = signs;
    this.#groups = [...groups];
    this.#words = words;
  }

  /** For thousands of phrases. */
  static async inTurns(phrases: readonly Phrase[], turns: Turns): Promise<PhraseSearch> {
    await turns.take();
    const parts = grouped(phrases);
    const words = await KeywordSearch.inTurns([...parts.groups.keys()], turns);
    return new PhraseSearch(phrases, parts, words);
  }

  /** Those that are in the text. */
  foundIn(text: FoldedText): ReadonlySet<Phrase> {
    const found = new Set(this.#signs.filter((phrase) => phrase.isIn(text)));
    const words = text.bare.replace(NO_WORDS, ' ');
    let places: Uint32Array | undefined;
    this.#words.find(words, (number, start, end) => {
      const [sought = '', phrases = []] = this.#groups[number] ?? [];
      if (!beginsAt(words, start)) {
        return SEVERAL_STARTS.test(sought) ? false : null;
      }
      for (const phrase of phrases) {
        if (phrase.isPlain) {
          if (phrase.endsAt(words, end)) {
            found.add(phrase);
          }
        } else if (!found.has(phrase)) {
          places ??= placesOfWords(text.bare, words.length);
          if (phrase.endAt(text, (places[start] ?? 0) - phrase.signsBefore) !== -1) {
            found.add(phrase);
          }
        }
      }
      return false;
    });
    return found;
  }
}

/** By their first words; `signs` have none. */
function grouped(phrases: readonly Phrase[]) {
  const groups = Map.groupBy(phrases, ({ firstWords }) => firstWords);
  const signs = groups.get('') ?? [];
  groups.delete('');
  return { signs, groups };
}

/** Of what ends with one word, shorter ends begin within it, too. */
const SEVERAL_STARTS = new RegExp(`[ ${JOINED_CLASS}]`, 'u');

/** Where a position of the words alone is in the whole text. */
function placesOfWords(bare: string, length: number): Uint32Array {
  const places = Uint32Array.from({ length }, (_, n) => n);
  let [shift, last] = [0, 0];
  for (const { 0: signs, index } of bare.matchAll(NO_WORDS)) {
    for (let at = last; at <= index - shift; at += 1) {
      places[at] = at + shift;
    }
    last = index - shift + 1;
    shift += signs.length - 1;
  }
  for (let at = last; at < length; at += 1) {
    places[at] = at + shift;
  }
  return places;
}
