const MOST_CHARACTERS = 20_000;

/** As in the service's `loads-nothing.ts`. */
const LOADS =
  /@import|(?<![\w-])(?:src|image|cross-fade|element|paint)\s*\(|image-set\s*\(|url\s*\((?!\s*["']?\s*(?:data:|#))/i;

/** Why a person's own style sheet is refused; null if it is not. */
export function problemOf(text: string): 'tooLong' | 'loads' | null {
  if (text.length > MOST_CHARACTERS) {
    return 'tooLong';
  }
  return LOADS.test(withoutEscapes(text)) ? 'loads' : null;
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
