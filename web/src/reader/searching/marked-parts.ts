import type { TextRange } from '../items/items-api.js';

export interface TextPart {
  readonly text: string;
  readonly isMarked: boolean;
}

/**
 * Splits a text at the words that were searched for.
 *
 * @param ranges in order, not overlapping; what lies outside of the text is left out
 * @param offset position of the text in that of the ranges
 */
export function markedParts(
  text: string,
  ranges: readonly TextRange[],
  offset = 0,
): readonly TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const [from, to] of ranges) {
    const begin = Math.max(at, from - offset);
    const end = Math.min(text.length, to - offset);
    if (begin < end) {
      parts.push({ text: text.slice(at, begin), isMarked: false });
      parts.push({ text: text.slice(begin, end), isMarked: true });
      at = end;
    }
  }
  parts.push({ text: text.slice(at), isMarked: false });
  return parts.filter((part) => part.text !== '');
}
