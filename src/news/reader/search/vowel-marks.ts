/**
 * Marks of vowels and cantillation in Arabic and Hebrew, which most texts and searches leave out, and the
 * sign that lengthens Arabic words. For JavaScript and PostgreSQL.
 */
export const VOWEL_MARK =
  '[\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0640\\u064b-\\u065f\\u0670]';

const ALL = new RegExp(VOWEL_MARK, 'g');

export function withoutVowelMarks(text: string): string {
  return text.replace(ALL, '');
}
