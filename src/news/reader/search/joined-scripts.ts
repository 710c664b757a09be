/*
 * Scripts that write without spaces between words: Thai, Lao, Myanmar, Khmer, Chinese, Japanese; and
 * Korean, whose words are joined with particles. PostgreSQL takes a run of their characters for one word.
 */

const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x0e00, 0x0eff],
  [0x1000, 0x109f],
  [0x1780, 0x17ff],
  [0x3005, 0x3007],
  [0x3041, 0x30fa],
  [0x30fc, 0x30ff],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7af],
  [0xf900, 0xfaff],
  [0x20000, 0x323af],
];

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

/** Characters of these scripts, for a bracket expression of JavaScript with the flag `u`. */
export const JOINED_CHARACTERS = RANGES.map(
  ([first, last]) => `\\u{${hex(first, 4)}}-\\u{${hex(last, 4)}}`,
).join('');

/** The same for PostgreSQL. */
export const JOINED_CHARACTERS_SQL = RANGES.map(
  ([first, last]) => `\\U${hex(first, 8)}-\\U${hex(last, 8)}`,
).join('');

const ANY = new RegExp(`[${JOINED_CHARACTERS}]`, 'u');

export function hasJoinedScript(text: string): boolean {
  return ANY.test(text);
}

/** Runs of these characters, and what is between them. */
export function splitByScript(text: string): readonly string[] {
  const runs = new RegExp(`[${JOINED_CHARACTERS}]+|[^${JOINED_CHARACTERS}]+`, 'gu');
  return text.match(runs) ?? [];
}

/**
 * The pairs of neighbours by which a run of these characters is found within a longer one; of a single
 * character itself.
 */
export function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, n) => (characters[n] ?? '') + character);
}
