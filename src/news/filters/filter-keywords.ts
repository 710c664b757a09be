import { textOfHtml } from '../feed-parser/html/plain-text.js';
import { InvalidFilter } from '../news.errors.js';

/** Keywords of a filter as the user wrote them: parted by commas, empty for none. */
export interface FilterKeywords {
  readonly titleKeywords: string;
  readonly bodyKeywords: string;
  readonly urlKeywords: string;
}

/** What a filter looks at. */
export interface FilteredArticle {
  readonly title: string | null;
  readonly url: string | null;
  readonly bodyHtml: string | null;
}

const MAX_KEYWORD_CHARACTERS = 128;
const MAX_KEYWORDS = 100;
const MAX_FIELD_CHARACTERS = 2048;

/**
 * Keeps each text as it was typed, since clients show it to the user again. A text without a keyword
 * becomes empty.
 *
 * @returns null when no keyword is left, so that there is nothing to filter
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
 * Tells which articles a filter takes out. An article matches when any keyword of any field does:
 * whole words or phrases in the title and in the visible text of the body, any part of the address;
 * upper and lower case are the same everywhere.
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

  /** Whether bodies have to be read for it. */
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

/** A state of the search: the longest beginning of a keyword that ends where the text was read to. */
interface State {
  readonly next: Map<number, State>;
  /** The next shorter one. */
  shorter: State | null;
  /** Lengths of the keywords that end here. */
  readonly ends: number[];
}

/**
 * Looks for many keywords in one pass over a text (Aho and Corasick's automaton), so that no choice
 * of keywords makes it slow: users choose those, and publishers the text.
 */
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

  /** Breadth first, so that shorter states are complete before longer ones refer to them. */
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

/** One form for texts and keywords: case, composed letters, the two small sigmas, runs of spaces. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').replace(/\s+/g, ' ');
}

function isWhole(text: string, start: number, end: number): boolean {
  return (
    !(isWordCharacter(text, start) && isWordCharacter(text, before(text, start))) &&
    !(isWordCharacter(text, before(text, end)) && isWordCharacter(text, end))
  );
}

/** Where the character in front of a position begins; -1 at the start. */
function before(text: string, at: number): number {
  const isPair = /^[\uDC00-\uDFFF]$/.test(text.charAt(at - 1)) && at >= 2;
  return isPair ? at - 2 : at - 1;
}

/**
 * Letters and digits of scripts that part words by spaces. In others a keyword stands anywhere,
 * since nothing shows where a word ends.
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
