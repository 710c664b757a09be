import iconv from 'iconv-lite';
import { isAscii, isUtf8 } from 'node:buffer';
import { withoutControls, characterOf } from '../html/character-references.js';
import type { FeedDocument } from '../parsed-feed.js';
import { words } from '../words.js';
import { guessCharset } from './guess-charset.js';

/** Declared names and the wider charset that publishers actually use. */
const WIDER_SETS = new Map(
  [
    ['gb18030', 'gb2312 gbk xgbk cp936 gb231280 euccn eucgb2312cn gb180302000'],
    [
      'windows-1252',
      'iso88591 latin1 l1 cp819 88591 iso8859 ansi usascii 646 ansix341968 cp367 ascii',
    ],
    ['windows-1254', 'iso88599 latin5 l5'],
    ['windows-874', 'iso885911 tis620'],
    ['cp932', 'shiftjis sjis shiftjis2004 shiftjisx0213 sjisx0213 cswindows31j'],
    ['euc-jp', 'ujis eucjis2004 eucjisx0213'],
    ['iso-2022-jp', 'iso2022jp'],
    ['cp949', 'euckr uhc ksx1001 ksc56011987'],
    ['big5hkscs', 'big5 big5tw hkscs'],
    ['maccenteuro', 'maclatin2 maccentraleurope xmacce'],
    ['macroman', 'xmacroman'],
    ['maccyrillic', 'xmaccyrillic'],
    ['iso-8859-15', '885915'],
    ['iso-8859-7', 'suneugreek'],
    ['cp861', 'cpis'],
    ['cp862', 'dos862'],
    ['viscii', 'csviscii viscii111'],
    ['pt154', 'cyrillicasian csptcp154'],
    ['rk1048', 'kz1048'],
    ['georgianps', 'geostd8'],
    ['utf-8', 'u8 utf'],
  ].flatMap(([wider = '', declared = '']) => words(declared).map((name) => [name, wider] as const)),
);

/** Charsets with ASCII bytes only; they cannot be detected without a declaration. */
const SEVEN_BIT_SETS = /^(?:iso2022|utf7|unicode11utf7|csiso2022)/;

/**
 * Decodes a document. The bytes take precedence over declarations, which are often wrong. Never fails:
 * the fallback is windows-1252.
 */
export function decodeDocument({ bytes, contentType }: FeedDocument): string {
  return withoutControls(decode(bytes, contentType));
}

function decode(bytes: Uint8Array, contentType: string | null): string {
  const marked = BYTE_ORDER_MARKS.find(({ mark }) => mark.equals(bytes.subarray(0, mark.length)));
  const unmarked = bytes.subarray(marked?.mark.length ?? 0);
  const wide = marked?.charset ?? wideCharset(bytes);
  // Programs put the mark of UTF-8 before what another one wrote.
  return wide !== null && wide !== 'utf-8'
    ? read(unmarked, wide)
    : decodeNarrow(unmarked, [wide, charsetOfHeader(contentType), charsetOfXml(unmarked)]);
}

/** @param said charsets as declared, the most credible first; null where nothing is */
function decodeNarrow(bytes: Uint8Array, said: readonly (string | null)[]): string {
  const declared = said.filter((charset) => charset !== null);
  if (isAscii(bytes)) {
    const sevenBit = declared.find((charset) => SEVEN_BIT_SETS.test(plainName(charset)));
    return (sevenBit && readIfKnown(bytes, sevenBit)) ?? read(bytes, 'utf-8');
  }
  if (isUtf8(bytes)) {
    return read(bytes, 'utf-8');
  }
  // XML and JSON are UTF-8 unless they say otherwise.
  const isSaid =
    declared.length === 0 || declared.some((charset) => IS_UTF8.test(plainName(charset)));
  if (isMostlyUtf8(bytes, isSaid)) {
    return decodeMixedUtf8(bytes);
  }
  return readAsDeclared(bytes, declared) ?? readAsGuessed(bytes);
}

const IS_UTF8 = /^(?:utf8|u8|utf$)/;

/** Unicode charsets: ruled out by the bytes at this point. */
const CANNOT_BE = /^(?:utf|ucs|iso10646|unicode|u8|csunicode|csucs)/;
/** ASCII is ruled out too; it usually means windows-1252. */
const HARDLY_IS = /^(?:(?:us)?ascii|646|ansix341968|cp367)$/;

/** @returns null without a plausible declaration */
function readAsDeclared(bytes: Uint8Array, declared: readonly string[]): string | null {
  const possible = declared.filter((charset) => !CANNOT_BE.test(plainName(charset)));
  const likely = possible.filter((charset) => !HARDLY_IS.test(plainName(charset)));
  let first: string | null = null;
  for (const charset of [...likely, ...possible]) {
    const text = readIfKnown(bytes, charset);
    if (text === null) {
      continue;
    }
    if (!text.includes('\uFFFD')) {
      return text;
    }
    first ??= text;
  }
  return first;
}

function readAsGuessed(bytes: Uint8Array): string {
  const guessed = guessCharset(bytes);
  return (guessed && readIfKnown(bytes, guessed)) ?? read(bytes, 'windows-1252');
}

/** Longest first: two marks begin alike. */
const BYTE_ORDER_MARKS = [
  { charset: 'utf-8', mark: Buffer.from([0xef, 0xbb, 0xbf]) },
  { charset: 'utf-32le', mark: Buffer.from([0xff, 0xfe, 0, 0]) },
  { charset: 'utf-32be', mark: Buffer.from([0, 0, 0xfe, 0xff]) },
  { charset: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { charset: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
];

/** The zero bytes among the first four: the first character of a feed is ASCII. */
const WIDE_BEGINNINGS: readonly (readonly [zeros: RegExp, charset: string])[] = [
  [/^0001/, 'utf-32be'],
  [/^1000/, 'utf-32le'],
  [/^010/, 'utf-16be'],
  [/^10.0/, 'utf-16le'],
];

function wideCharset(bytes: Uint8Array): string | null {
  const zeros = Array.from(bytes.subarray(0, 4), (byte) => (byte === 0 ? '0' : '1')).join('');
  const found = zeros.length === 4 && WIDE_BEGINNINGS.find(([pattern]) => pattern.test(zeros));
  return found ? found[1] : null;
}

function charsetOfHeader(contentType: string | null): string | null {
  const found = /;\s*charset\s*[=:]\s*["']?([\w.:-]+)/i.exec((contentType ?? '').slice(0, 1000));
  return found?.[1] ?? null;
}

function charsetOfXml(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const declaration = /<\?xml\s([^>]*)/i.exec(start)?.[1] ?? '';
  return /\bencoding\s*=\s*["']?\s*([\w.:-]+)/i.exec(declaration)?.[1] ?? null;
}

function plainName(charset: string): string {
  return charset.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function read(bytes: Uint8Array, charset: string): string {
  return iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), charset);
}

function readIfKnown(bytes: Uint8Array, charset: string): string | null {
  const name = WIDER_SETS.get(plainName(charset)) ?? charset;
  if (iconv.encodingExists(name)) {
    return read(bytes, name);
  }
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Whether bytes are UTF-8 apart from a few: a truncated end or a stray byte must not turn the whole
 * document into mojibake.
 *
 * @param isSaid whether the document is UTF-8 by its declarations; otherwise more whole characters have to prove it
 */
function isMostlyUtf8(bytes: Uint8Array, isSaid: boolean): boolean {
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
    i += length || Math.max(1, cutSequenceAt(bytes, i));
  }
  return whole > 0 && whole >= (isSaid ? broken + 1 : broken * 5);
}

/**
 * Decodes UTF-8 with a few invalid bytes, which are read as windows-1252, and characters that are cut, as
 * excerpts end. Encoded surrogates (CESU-8), which some databases write, are combined.
 */
function decodeMixedUtf8(bytes: Uint8Array): string {
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
    const cut = cutSequenceAt(bytes, i);
    const stray = cut > 0 ? '\uFFFD' : characterOf(bytes[i] ?? 0);
    pieces.push(isHalf ? halfAt(bytes, i) : stray);
    i += length || Math.max(1, cut);
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

/** @returns the length of a character of three or four bytes that is cut behind the second or third; else 0 */
function cutSequenceAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  const isTrail = (i: number) => ((bytes[i] ?? 0) & 0xc0) === 0x80;
  if (lead < 0xe0 || lead > 0xf4 || !isTrail(at + 1)) {
    return 0;
  }
  return isTrail(at + 2) ? 3 : 2;
}

function isHalfOfPair(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xed && (bytes[at + 1] ?? 0) >= 0xa0;
}

function halfAt(bytes: Uint8Array, at: number): string {
  const second = (bytes[at + 1] ?? 0) & 0x3f;
  const third = (bytes[at + 2] ?? 0) & 0x3f;
  return String.fromCharCode(0xd000 | (second << 6) | third);
}
