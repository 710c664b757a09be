import chardet from 'chardet';
import iconv from 'iconv-lite';

/** Sample size; more does not improve the guess. */
const SAMPLE_BYTES = 64 * 1024;

/** Charsets for Latin scripts. */
const LATIN = /^(?:ISO-8859-[1-49]|ISO-8859-1[0-6]|windows-125[02478])$/;

/** Fewer, mostly quotes and dashes, are no evidence. */
const FEWEST_HIGH_BYTES = 8;

/** Sample size for Thai. */
const MOST_CHARACTERS_OF_THAI = 2_000;

const A_TAG = /<[^<>]{0,2000}>/g;
/** A word with at least one byte above ASCII. */
const WORD_WITH_HIGH_BYTES = /[A-Za-z]{0,60}[\u0080-\u00FF][A-Za-z\u0080-\u00FF]{0,200}/g;

/**
 * Non-ASCII letters of Western languages in windows-1252. Hungarian bytes match too, but only
 * Hungarian has `õ` or `û` together with `ö` or `ü`.
 */
const WESTERN = /^[ÀÂÄÅÆÇÈÉÊËÎÏÑÓÔÖØÙÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûü«»°·¿¡º´]*$/;
const HUNGARIAN = /[õû].*[öü]|[öü].*[õû]/;

/** Fewer different characters are no evidence against windows-1252. */
const FEW_DIFFERENT = 6;

/** Thai words as bytes: combining signs follow a letter. */
const THAI =
  /^(?:[\u00E0-\u00E4]?[\u00A1-\u00CE][\u00D1\u00D4-\u00DA\u00E7-\u00EE]*[\u00D0\u00D2\u00D3\u00E5]?|[\u00CF\u00E6 ])+$/;
/** Vowels and tones; rarer in other scripts with the same bytes. */
const THAI_SIGNS = /[\u00D0-\u00DA\u00E0-\u00E5\u00E7-\u00EE]/g;

/**
 * Guesses the charset of a document without a plausible declaration. Tags and English words bias the
 * guess, so words with non-ASCII bytes are weighted; they also distinguish Latin scripts, since other
 * scripts have no ASCII inside words.
 *
 * @returns the name of a charset; null if none fits
 */
export function guessCharset(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes.subarray(0, SAMPLE_BYTES)).toString('latin1').replace(A_TAG, ' ');
  const words = (text.match(WORD_WITH_HIGH_BYTES) ?? []).join(' ');
  const highBytes = words.replace(/[ A-Za-z]+/g, '').length;
  if (isThai(words)) {
    return 'windows-874';
  }
  if (highBytes < FEWEST_HIGH_BYTES || isWestern(words)) {
    return null;
  }
  const isLatin = highBytes * 2 < words.replaceAll(' ', '').length;
  const confidences = new Map<string, number>();
  for (const sample of [text, words, words]) {
    for (const { name, confidence } of chardet.analyse(Buffer.from(sample, 'latin1'))) {
      if (name.startsWith('UTF') || name === 'ASCII' || LATIN.test(name) !== isLatin) {
        continue;
      }
      confidences.set(name, (confidences.get(name) ?? 0) + confidence);
    }
  }
  const sorted = [...confidences].sort(([, a], [, b]) => b - a);
  const likely = sorted.filter(([name]) => name !== 'EUC-KR' || isKorean(words));
  return (likely.find(([name]) => fits(words, name)) ?? likely[0])?.[0] ?? null;
}

/** Whether a single-byte charset defines every byte. */
function fits(words: string, charset: string): boolean {
  if (!/^(?:windows|ISO-8859)/.test(charset)) {
    return true;
  }
  return !iconv.decode(Buffer.from(words, 'latin1'), charset).includes('\uFFFD');
}

function isWestern(words: string): boolean {
  const different = new Set(words.replace(/[ A-Za-z]+/g, ''));
  const characters = [...different].join('');
  return different.size <= FEW_DIFFERENT && WESTERN.test(characters) && !HUNGARIAN.test(characters);
}

function isThai(words: string): boolean {
  const plain = words.slice(0, MOST_CHARACTERS_OF_THAI);
  const signs = plain.match(THAI_SIGNS)?.length ?? 0;
  return signs > 0 && signs * 5 >= plain.replaceAll(' ', '').length && THAI.test(plain);
}

/** Thai bytes are valid Korean too, but rarely decode to Hangul. */
function isKorean(words: string): boolean {
  const text = iconv.decode(Buffer.from(words, 'latin1'), 'cp949').replaceAll(' ', '');
  const hangul = text.replace(/[^\uAC00-\uD7A3]/g, '').length;
  return hangul * 2 > text.length;
}
