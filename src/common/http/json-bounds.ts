import { randomInt } from 'node:crypto';

/** Clients nest at most a dozen levels; each level costs readers a recursive call. */
const DEEPEST = 100;
/** Far more than the flags of ten thousand items. */
export const MOST_VALUES = 110_000;
/** Of bodies that are not for many items. */
export const USUAL_VALUES = 20_000;

/** Far more than any client's; parsing makes a table of them. */
const MOST_NAMES = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Nobody knows which names are counted as the same. */
const SEED = randomInt(2 ** 31);

/**
 * Why parsing a JSON text would need disproportionate memory; null if not. Does not validate the
 * text.
 */
export function excessOfJson(text: Uint8Array, mostValues = MOST_VALUES): string | null {
  let depth = 0;
  let values = 0;
  let [start, end] = [0, 0];
  const names = new Set<number>();
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case QUOTE:
        start = at + 1;
        at = endOfString(text, at);
        end = at;
        break;
      case COLON:
        names.add(digestOf(text, start, end));
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        values += 1;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
      default:
        continue;
    }
    if (depth > DEEPEST) {
      return `nests deeper than ${DEEPEST} levels`;
    }
    if (values > mostValues) {
      return `holds more than ${mostValues} values`;
    }
    if (names.size > MOST_NAMES) {
      return `holds more than ${MOST_NAMES} different names`;
    }
  }
  return null;
}

/** Of a name without its quotes (FNV-1a). */
function digestOf(text: Uint8Array, start: number, end: number): number {
  let digest = SEED;
  for (let at = start; at < end; at += 1) {
    digest = Math.imul(digest ^ (text[at] ?? 0), 0x01000193);
  }
  return digest;
}

/** @returns position of the closing quote */
function endOfString(text: Uint8Array, opening: number): number {
  let at = opening + 1;
  while (at < text.length && text[at] !== QUOTE) {
    at += text[at] === BACKSLASH ? 2 : 1;
  }
  return at;
}
