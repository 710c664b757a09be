import { invalid } from '../../../common/errors/domain-error.js';
import { textOfHtml } from '../../feed-parser/html/plain-text.js';
import { before } from '../../query/folded-text.js';
import { KeywordSearch } from '../../query/keyword-search.js';

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
  readonly #title: WordSearch;
  readonly #body: WordSearch;
  readonly #urlParts: readonly string[];

  constructor(keywords: FilterKeywords) {
    this.#title = new WordSearch(split(keywords.titleKeywords));
    this.#body = new WordSearch(split(keywords.bodyKeywords));
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

/** Whole words and phrases. */
class WordSearch {
  readonly #search: KeywordSearch;

  constructor(keywords: readonly string[]) {
    this.#search = new KeywordSearch([...new Set(keywords.map(fold))]);
  }

  get isEmpty(): boolean {
    return this.#search.isEmpty;
  }

  findsIn(given: string): boolean {
    const text = this.isEmpty ? '' : fold(given);
    return this.#search.find(text, (_, start, end) => isWhole(text, start, end));
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
