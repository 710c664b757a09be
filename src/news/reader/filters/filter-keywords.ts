import { invalid } from '../../../common/errors/domain-error.js';
import { textOfHtml } from '../../feed-parser/html/plain-text.js';

export class InvalidFilter extends invalid((rule: string) => `The filter is not valid: ${rule}.`) {}

/** Keywords as the user typed them: comma-separated, empty for none. */
export interface FilterKeywords {
  readonly titleKeywords: string;
  readonly bodyKeywords: string;
  readonly urlKeywords: string;
}

/** The parts of an article that filters examine. */
export interface FilteredArticle {
  readonly title: string | null;
  readonly url: string | null;
  readonly bodyHtml: string | null;
}

const MAX_KEYWORD_CHARACTERS = 128;
const MAX_KEYWORDS = 100;
const MAX_FIELD_CHARACTERS = 2048;

/**
 * Keeps each text as typed, since clients show it again. A text without a keyword becomes empty.
 *
 * @returns null without any keyword
 * @throws InvalidFilter naming the field and its limit
 */
export function checkedKeywords(given: FilterKeywords): FilterKeywords | null {
  const keywords = {
    titleKeywords: checkedField('titleKeywords', given.titleKeywords),
    bodyKeywords: checkedField('bodyKeywords', given.bodyKeywords),
    urlKeywords: checkedField('urlKeywords', given.urlKeywords),
  };
  return Object.values(keywords).every((field) => field === '') ? null : keywords;
}

function checkedField(name: keyof FilterKeywords, given: string): string {
  if (charactersOf(given) > MAX_FIELD_CHARACTERS) {
    throw new InvalidFilter(`"${name}" has at most ${MAX_FIELD_CHARACTERS} characters`);
  }
  if (given.includes('\0')) {
    throw new InvalidFilter(`"${name}" must not contain a null character`);
  }
  const typed = given.toWellFormed();
  const keywords = split(typed);
  if (keywords.length > MAX_KEYWORDS) {
    throw new InvalidFilter(`"${name}" has at most ${MAX_KEYWORDS} keywords`);
  }
  const long = keywords.find((keyword) => charactersOf(keyword) > MAX_KEYWORD_CHARACTERS);
  if (long !== undefined) {
    throw new InvalidFilter(
      `"${name}" has a keyword longer than ${MAX_KEYWORD_CHARACTERS} characters: ` +
        `"${long.slice(0, 30).toWellFormed()}…"`,
    );
  }
  return keywords.length === 0 ? '' : typed;
}

/**
 * Matches articles. One keyword of any field is enough: whole words or phrases in the title and in the
 * visible text of the body, any part of the address; case-insensitive.
 */
export class KeywordFilter {
  readonly #title: KeywordSearch;
  readonly #body: KeywordSearch;
  readonly #urlParts: readonly string[];

  constructor(keywords: FilterKeywords) {
    this.#title = new KeywordSearch(split(keywords.titleKeywords));
    this.#body = new KeywordSearch(split(keywords.bodyKeywords));
    this.#urlParts = split(keywords.urlKeywords).map(fold);
  }

  /** Whether `matches` needs bodies. */
  get looksAtBodies(): boolean {
    return !this.#body.isEmpty;
  }

  matches({ title, url, bodyHtml }: FilteredArticle): boolean {
    const address = url === null ? '' : fold(url);
    return (
      this.#urlParts.some((part) => address.includes(part)) ||
      (title !== null && this.#title.findsIn(title)) ||
      (this.looksAtBodies && bodyHtml !== null && this.#body.findsIn(textOfHtml(bodyHtml)))
    );
  }
}

/** A state of the automaton: the longest prefix of a keyword that ends at the current position. */
interface State {
  readonly next: Map<number, State>;
  /** The state of the next shorter prefix (failure link). */
  shorter: State | null;
  /** Lengths of the keywords that end here. */
  readonly ends: number[];
}

/** Searches a text for many keywords in one pass (Aho-Corasick): linear time for any keywords and texts. */
class KeywordSearch {
  readonly #start: State = { next: new Map(), shorter: null, ends: [] };

  constructor(keywords: readonly string[]) {
    for (const keyword of keywords) {
      this.#add(fold(keyword));
    }
    this.#link();
  }

  get isEmpty(): boolean {
    return this.#start.next.size === 0;
  }

  findsIn(given: string): boolean {
    if (this.isEmpty) {
      return false;
    }
    const text = fold(given);
    let state = this.#start;
    for (let at = 0; at < text.length; at += 1) {
      state = this.#step(state, text.charCodeAt(at));
      const end = at + 1;
      if (state.ends.some((length) => isWhole(text, end - length, end))) {
        return true;
      }
    }
    return false;
  }

  #add(keyword: string): void {
    let state = this.#start;
    for (let at = 0; at < keyword.length; at += 1) {
      const code = keyword.charCodeAt(at);
      const next = state.next.get(code) ?? { next: new Map(), shorter: null, ends: [] };
      state.next.set(code, next);
      state = next;
    }
    state.ends.push(keyword.length);
  }

  /** Breadth first, so that shorter states are complete before longer ones link to them. */
  #link(): void {
    const waiting: State[] = [this.#start];
    for (const state of waiting) {
      for (const [code, next] of state.next) {
        next.shorter = state.shorter === null ? this.#start : this.#step(state.shorter, code);
        next.ends.push(...next.shorter.ends);
        waiting.push(next);
      }
    }
  }

  #step(from: State, code: number): State {
    for (let state: State | null = from; state !== null; state = state.shorter) {
      const next = state.next.get(code);
      if (next !== undefined) {
        return next;
      }
    }
    return this.#start;
  }
}

function split(field: string): string[] {
  return field
    .split(',')
    .map((keyword) => keyword.replace(/\s+/g, ' ').trim())
    .filter((keyword) => keyword !== '');
}

/** Normalises texts and keywords: case, composed letters, final sigma, runs of spaces. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').replace(/\s+/g, ' ');
}

function isWhole(text: string, start: number, end: number): boolean {
  return (
    !(isWordCharacter(text, start) && isWordCharacter(text, before(text, start))) &&
    !(isWordCharacter(text, before(text, end)) && isWordCharacter(text, end))
  );
}

/** The index of the character before a position; -1 at the start. */
function before(text: string, at: number): number {
  const isPair = /^[\uDC00-\uDFFF]$/.test(text.charAt(at - 1)) && at >= 2;
  return isPair ? at - 2 : at - 1;
}

/**
 * Letters and digits of scripts that separate words by spaces. In other scripts a keyword matches
 * anywhere, since nothing marks the end of a word.
 */
function isWordCharacter(text: string, at: number): boolean {
  const code = at < 0 ? undefined : text.codePointAt(at);
  if (code === undefined) {
    return false;
  }
  const character = String.fromCodePoint(code);
  return /[\p{L}\p{M}\p{N}_]/u.test(character) && !WITHOUT_SPACES.test(character);
}

const WITHOUT_SPACES =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]/u;

function charactersOf(text: string): number {
  return [...text].length;
}
