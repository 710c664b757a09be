import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import type { FeedDocument } from '../parsed-feed.js';
import { withoutControls } from '../html/character-references.js';
import { guessCharset } from './guess-charset.js';
import { decodeMixedUtf8, isMostlyUtf8 } from './mixed-utf8.js';

/** Declared names and the wider charset that publishers actually use. */
const WIDER_SETS = new Map([
  ['gb2312', 'gb18030'],
  ['gbk', 'gb18030'],
  ['xgbk', 'gb18030'],
  ['cp936', 'gb18030'],
  ['gb231280', 'gb18030'],
  ['euccn', 'gb18030'],
  ['eucgb2312cn', 'gb18030'],
  ['gb180302000', 'gb18030'],
  ['iso88591', 'windows-1252'],
  ['latin1', 'windows-1252'],
  ['l1', 'windows-1252'],
  ['cp819', 'windows-1252'],
  ['88591', 'windows-1252'],
  ['iso8859', 'windows-1252'],
  ['ansi', 'windows-1252'],
  ['usascii', 'windows-1252'],
  ['646', 'windows-1252'],
  ['ansix341968', 'windows-1252'],
  ['cp367', 'windows-1252'],
  ['ascii', 'windows-1252'],
  ['iso88599', 'windows-1254'],
  ['latin5', 'windows-1254'],
  ['l5', 'windows-1254'],
  ['iso885911', 'windows-874'],
  ['tis620', 'windows-874'],
  ['shiftjis', 'cp932'],
  ['sjis', 'cp932'],
  ['shiftjis2004', 'cp932'],
  ['shiftjisx0213', 'cp932'],
  ['sjisx0213', 'cp932'],
  ['cswindows31j', 'cp932'],
  ['ujis', 'euc-jp'],
  ['eucjis2004', 'euc-jp'],
  ['eucjisx0213', 'euc-jp'],
  ['iso2022jp', 'iso-2022-jp'],
  ['euckr', 'cp949'],
  ['uhc', 'cp949'],
  ['ksx1001', 'cp949'],
  ['ksc56011987', 'cp949'],
  ['big5', 'big5hkscs'],
  ['big5tw', 'big5hkscs'],
  ['hkscs', 'big5hkscs'],
  ['maclatin2', 'maccenteuro'],
  ['maccentraleurope', 'maccenteuro'],
  ['xmacce', 'maccenteuro'],
  ['xmacroman', 'macroman'],
  ['xmaccyrillic', 'maccyrillic'],
  ['885915', 'iso-8859-15'],
  ['suneugreek', 'iso-8859-7'],
  ['cpis', 'cp861'],
  ['dos862', 'cp862'],
  ['csviscii', 'viscii'],
  ['viscii111', 'viscii'],
  ['cyrillicasian', 'pt154'],
  ['csptcp154', 'pt154'],
  ['kz1048', 'rk1048'],
  ['geostd8', 'georgianps'],
  ['u8', 'utf-8'],
  ['utf', 'utf-8'],
]);

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
  const mark = byteOrderMark(bytes);
  if (mark) {
    return read(bytes.subarray(mark.length), mark.charset);
  }
  const wide = wideCharset(bytes);
  if (wide) {
    return read(bytes, wide);
  }

  const declared = [charsetOfHeader(contentType), charsetOfXml(bytes)].filter(
    (charset) => charset !== null,
  );
  if (isAscii(bytes)) {
    const sevenBit = declared.find((charset) => SEVEN_BIT_SETS.test(plainName(charset)));
    return (sevenBit && readIfKnown(bytes, sevenBit)) ?? read(bytes, 'utf-8');
  }
  if (isUtf8(bytes)) {
    return read(bytes, 'utf-8');
  }
  if (isMostlyUtf8(bytes)) {
    return decodeMixedUtf8(bytes);
  }
  return readAsDeclared(bytes, declared) ?? readAsGuessed(bytes);
}

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

function byteOrderMark(bytes: Uint8Array): { charset: string; length: number } | null {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) {
    return { charset: 'utf-8', length: 3 };
  }
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) {
    return { charset: 'utf-32le', length: 4 };
  }
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) {
    return { charset: 'utf-32be', length: 4 };
  }
  if (a === 0xff && b === 0xfe) {
    return { charset: 'utf-16le', length: 2 };
  }
  if (a === 0xfe && b === 0xff) {
    return { charset: 'utf-16be', length: 2 };
  }
  return null;
}

/** The first character of a feed is ASCII, so zero bytes show width and byte order. */
function wideCharset(bytes: Uint8Array): string | null {
  const [a, b, c, d] = bytes;
  if (a === undefined || b === undefined || c === undefined || d === undefined) {
    return null;
  }
  if (a === 0 && b === 0 && c === 0 && d !== 0) {
    return 'utf-32be';
  }
  if (a !== 0 && b === 0 && c === 0 && d === 0) {
    return 'utf-32le';
  }
  if (a === 0 && b !== 0 && c === 0) {
    return 'utf-16be';
  }
  if (a !== 0 && b === 0 && d === 0) {
    return 'utf-16le';
  }
  return null;
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
