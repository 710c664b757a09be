/** Letters, marks, digits and `_`, for a bracket expression. */
export const WORD_CLASS = String.raw`\p{L}\p{M}\p{N}_`;

/** What is not seen: soft hyphen, zero-width characters. */
export const UNSEEN = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

export const SPACES = /\s+/g;

/**
 * Scripts that write without spaces between words, Thai, Lao, Myanmar, Khmer, Chinese, Japanese, and Korean,
 * whose words are joined with particles.
 */
export const JOINED_CLASS = String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}ー`;

export const JOINED_RUN = new RegExp(`[${JOINED_CLASS}]+`, 'gu');
export const JOINED = new RegExp(`[${JOINED_CLASS}]`, 'u');
const WORD = new RegExp(`[${WORD_CLASS}]`, 'u');

/**
 * Marks of vowels and cantillation in Arabic and Hebrew, which most texts and searches omit, and the Arabic
 * tatweel.
 */
const VOWEL_MARKS =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0656-\u065f\u0670]/g;

/** Letters that do not decompose into a plain one and its mark. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};

/** Signs that keyboards and typesetters write differently. */
const SIGNS: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  ʼ: "'",
  '‚': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '‐': '-',
  '‑': '-',
  '–': '-',
  '—': '-',
};

/**
 * A text in the form in which words are compared: in lower case, with composed letters, plain spaces and
 * signs, without marks of vowels. `bare` is without accents besides.
 */
export interface FoldedText {
  readonly exact: string;
  readonly bare: string;
  /** Where a position of `bare` is in `exact`; null if they are the same. */
  readonly exactAt: Uint32Array | null;
}

const NEEDS_NOTHING = /^[\u0020-\u007e]*$/;

export function foldExact(text: string): string {
  if (NEEDS_NOTHING.test(text) && !text.includes('  ')) {
    return text.toLowerCase();
  }
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(UNSEEN, '')
    .replace(VOWEL_MARKS, '')
    .replace(/i\u0307|ı/g, 'i')
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
    .replace(/[\ufb00-\ufb06\uff01-\uff5e]/g, (letter) => letter.normalize('NFKC').toLowerCase())
    .replace(/[‘’ʼ‚“”„‐‑–—]/g, (sign) => SIGNS[sign] ?? sign)
    .replace(SPACES, ' ');
}

export function foldText(text: string): FoldedText {
  const exact = foldExact(text);
  let isShifted = false;
  const bare = exact.replace(NOT_BARE, (letter) => {
    const plain = bareOf(letter);
    isShifted ||= plain.length !== letter.length;
    return plain;
  });
  return { exact, bare, exactAt: isShifted ? exactPlaces(exact, bare.length) : null };
}

const NOT_BARE = /[^\p{ASCII}]\p{M}*|\p{ASCII}[\u0300-\u036f]+/gu;

const known = new Map<string, string>();

/** A letter without its accents; the Cyrillic й is a letter of its own. */
function bareOf(letter: string): string {
  let bare = known.get(letter);
  if (bare === undefined) {
    bare = letter === 'й' ? letter : letter.normalize('NFD').replace(ACCENTS, '').normalize('NFC');
    bare = bare.replace(/[øłđðħŧæœþ]/g, (plain) => PLAIN_LETTERS[plain] ?? plain);
    if (known.size > 10_000) {
      known.clear();
    }
    known.set(letter, bare);
  }
  return bare;
}

const ACCENTS = /[\u0300-\u036f\u0653-\u0655]/g;

function exactPlaces(exact: string, bareLength: number): Uint32Array {
  const places = new Uint32Array(bareLength + 1);
  let to = 0;
  let from = 0;
  const pass = (length: number, exactLength: number) => {
    for (let n = 0; n < length; n += 1) {
      places[to + n] = from + Math.min(n, exactLength);
    }
    to += length;
    from += exactLength;
  };
  for (const { index, 0: letter } of exact.matchAll(NOT_BARE)) {
    pass(index - from, index - from);
    pass(bareOf(letter).length, letter.length);
  }
  pass(bareLength - to, bareLength - to);
  places[bareLength] = exact.length;
  return places;
}

/** Whether the character at a position continues a word of a script that parts words by spaces. */
export function isWordAt(text: string, at: number): boolean {
  const character = characterAt(text, at);
  const code = character.charCodeAt(0);
  return code < 0x80
    ? (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95
    : character !== '' && WORD.test(character) && !JOINED.test(character);
}

export const isJoinedAt = (text: string, at: number): boolean => JOINED.test(characterAt(text, at));

/** Whether a letter, mark or digit of any script is there. */
export const isLetterAt = (text: string, at: number): boolean => WORD.test(characterAt(text, at));

function characterAt(text: string, at: number): string {
  const code = at < 0 ? undefined : text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** The index of the character before a position; -1 at the start. */
export function before(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xdc00 && code <= 0xdfff && at >= 2 ? at - 2 : at - 1;
}

/** What folds by itself: a letter with its marks, or a run of spaces. */
export const CLUSTERS = /\s+|\P{M}\p{M}*|\p{M}+/gu;

/** As `foldText`, with the place in the given text of each position of `bare`. For short texts. */
export function foldPlaces(text: string): FoldedText & { readonly typedAt: readonly number[] } {
  const typedAt: number[] = [];
  const exactAt: number[] = [];
  let [exact, bare] = ['', ''];
  for (const { 0: cluster, index } of text.matchAll(CLUSTERS)) {
    const folded = foldText(cluster);
    for (let at = 0; at < folded.bare.length; at += 1) {
      typedAt.push(index);
      exactAt.push(exact.length + (folded.exactAt?.[at] ?? at));
    }
    exact += folded.exact;
    bare += folded.bare;
  }
  typedAt.push(text.length);
  return { exact, bare, exactAt: Uint32Array.from([...exactAt, exact.length]), typedAt };
}
