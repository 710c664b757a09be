/** Languages and scripts. */
const RIGHT_TO_LEFT = new Set(
  'ar fa ur ps syr dv he yi iw ji ckb sd ug arc nqo prs arab hebr aran thaa nkoo'.split(' '),
);

/**
 * Whether a text is written from right to left.
 *
 * @param direction declared `dir`
 * @param languages tags from the innermost element outwards; the first one decides
 */
export function isRightToLeft(
  direction: string | null,
  ...languages: readonly (string | null)[]
): boolean {
  const said = direction?.trim().toLowerCase();
  if (said === 'rtl') {
    return true;
  }
  if (said === 'ltr') {
    return false;
  }
  const language = languages.find((tag) => tag !== null && tag.trim() !== '') ?? '';
  const [name = '', ...variants] = language.trim().toLowerCase().split(/[-_]/);
  // `az-Arab` is Azerbaijani in Arabic letters, `ar-Latn` Arabic in Latin ones.
  const script = variants.find((variant) => /^[a-z]{4}$/.test(variant));
  return RIGHT_TO_LEFT.has(script ?? name);
}
