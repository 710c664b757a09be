const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'ur', 'ps', 'syr', 'dv', 'he', 'yi']);

/**
 * Whether a text is written from right to left.
 *
 * @param direction what the document says outright
 * @param languages tags from the nearest to the farthest; the first one there is decides
 */
export function isRightToLeft(
  direction: string | null,
  ...languages: readonly (string | null)[]
): boolean {
  const said = direction?.trim().toLowerCase();
  if (said === 'rtl') return true;
  if (said === 'ltr') return false;
  const language = languages.find((tag) => tag !== null && tag.trim() !== '') ?? '';
  return RIGHT_TO_LEFT.has(language.trim().toLowerCase().split(/[-_]/, 1)[0] ?? '');
}
