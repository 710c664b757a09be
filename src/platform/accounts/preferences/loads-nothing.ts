/** What makes a style sheet load something: the values of its functions may come from anywhere. */
const LOADS =
  /@import|(?<![\w-])(?:src|image|cross-fade|element|paint)\s*\(|image-set\s*\(|url\s*\((?!\s*["']?\s*(?:data:|#))/i;

/**
 * Whether a person's own style sheet loads nothing. Style sheets are passed around, and with addresses
 * of its author one could send away what it finds on the page. The pages have the same rule
 * (`web/src/reader/appearance/style-sheet.ts`); the content security policy is the second line.
 */
export function loadsNothing(styleSheet: string): boolean {
  return !LOADS.test(withoutEscapes(styleSheet));
}

/** `\75 rl(` is `url(`. */
function withoutEscapes(text: string): string {
  return text
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, digits: string) => {
      const code = parseInt(digits, 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
    })
    .replaceAll('\\', '');
}
