/** Clients nest at most a dozen levels; each level costs readers a recursive call. */
const DEEPEST = 100;
/** Far more than the flags of ten thousand items. */
const MOST_VALUES = 250_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Why parsing a JSON text would need disproportionate memory; null if not. Does not validate the
 * text.
 */
export function excessOfJson(text: Uint8Array): string | null {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(text, at);
    } else if (OPENING.has(byte)) {
      depth += 1;
      values += 1;
    } else if (CLOSING.has(byte)) {
      depth -= 1;
    } else if (byte === COMMA) {
      values += 1;
    }
    if (depth > DEEPEST) {
      return `nests deeper than ${DEEPEST} levels`;
    }
    if (values > MOST_VALUES) {
      return `holds more than ${MOST_VALUES} values`;
    }
  }
  return null;
}

/** @returns position of the closing quote */
function endOfString(text: Uint8Array, opening: number): number {
  let at = opening + 1;
  while (at < text.length && text[at] !== QUOTE) {
    at += text[at] === BACKSLASH ? 2 : 1;
  }
  return at;
}
