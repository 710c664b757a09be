import { characterOf } from '../html/character-references.js';

/**
 * Whether bytes are UTF-8 apart from a few: a truncated end or a stray byte must not turn the whole
 * document into mojibake.
 */
export function isMostlyUtf8(bytes: Uint8Array): boolean {
  let whole = 0;
  let broken = 0;
  for (let i = 0; i < bytes.length;) {
    const length = sequenceAt(bytes, i);
    if (length > 1) {
      whole += 1;
    }
    // The last character may be truncated.
    else if (length === 0 && i + 3 < bytes.length) {
      broken += 1;
    }
    i += Math.max(1, length);
  }
  return whole > 0 && broken * 5 <= whole;
}

/**
 * Decodes UTF-8 with a few invalid bytes, which are read as windows-1252. Encoded surrogates
 * (CESU-8), which some databases write, are combined.
 */
export function decodeMixedUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  let from = 0;
  const flush = (to: number): void => {
    if (to > from) {
      pieces.push(buffer.toString('utf8', from, to));
    }
  };
  for (let i = 0; i < bytes.length;) {
    const length = sequenceAt(bytes, i);
    const isHalf = length === 3 && isHalfOfPair(bytes, i);
    if (length > 0 && !isHalf) {
      i += length;
      continue;
    }
    flush(i);
    pieces.push(isHalf ? halfAt(bytes, i) : characterOf(bytes[i] ?? 0));
    i += Math.max(1, length);
    from = i;
  }
  flush(bytes.length);
  return pieces.join('');
}

/** @returns the length of the character at this position; 0 if invalid */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xc2 || lead > 0xf4) {
    return 0;
  }
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let i = at + 1; i < at + length; i++) {
    if (((bytes[i] ?? 0) & 0xc0) !== 0x80) {
      return 0;
    }
  }
  const second = bytes[at + 1] ?? 0;
  const isTooLong = (lead === 0xe0 && second < 0xa0) || (lead === 0xf0 && second < 0x90);
  return isTooLong || (lead === 0xf4 && second > 0x8f) ? 0 : length;
}

function isHalfOfPair(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xed && (bytes[at + 1] ?? 0) >= 0xa0;
}

function halfAt(bytes: Uint8Array, at: number): string {
  const second = (bytes[at + 1] ?? 0) & 0x3f;
  const third = (bytes[at + 2] ?? 0) & 0x3f;
  return String.fromCharCode(0xd000 | (second << 6) | third);
}
