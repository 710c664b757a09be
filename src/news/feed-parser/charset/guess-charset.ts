import chardet from 'chardet';
import iconv from 'iconv-lite';

/** Looked at of a document; more does not make the guess better. */
const SAMPLE_BYTES = 64 * 1024;

/** Sets for alphabets whose words are mostly ASCII, with an accent here and there. */
const LATIN = /^(?:ISO-8859-[1-49]|ISO-8859-1[0-6]|windows-125[02478])$/;

/** So few characters, mostly quotes and dashes, prove no alphabet. */
const FEWEST_HIGH_BYTES = 8;

/** Looked at to tell Thai. */
const MOST_CHARACTERS_OF_THAI = 2_000;

const A_TAG = /<[^<>]{0,2000}>/g;
/** What stands between separators; of ASCII only letters belong to a word. */
const WORD_WITH_HIGH_BYTES = /[A-Za-z]{0,60}[\u0080-\u00FF][A-Za-z\u0080-\u00FF]{0,200}/g;

/**
 * What Western languages write beside ASCII, as bytes of windows-1252. Hungarian uses only such bytes
 * too, but its own pair of `õ` or `û` beside `ö` or `ü` belongs to no Western one.
 */
const WESTERN = /^[ÀÂÄÅÆÇÈÉÊËÎÏÑÓÔÖØÙÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûü«»°·¿¡º´]*$/;
const HUNGARIAN = /[õû].*[öü]|[öü].*[õû]/;

/** So few different characters are no evidence for another set than the usual one. */
const FEW_DIFFERENT = 6;

/** Words of Thai as bytes: what stands above or below a letter follows one. */
const THAI =
  /^(?:[\u00E0-\u00E4]?[\u00A1-\u00CE][\u00D1\u00D4-\u00DA\u00E7-\u00EE]*[\u00D0\u00D2\u00D3\u00E5]?|[\u00CF\u00E6 ])+$/;
/** Vowels and tones; of what other scripts spell with the same bytes they are far less. */
const THAI_SIGNS = /[\u00D0-\u00DA\u00E0-\u00E5\u00E7-\u00EE]/g;

/**
 * Guesses the charset of bytes of which nobody said anything that can be true.
 *
 * Tags, addresses and English words make every document look like English, so the words that
 * hold other bytes are asked as well, and they tell Latin scripts from all others: whoever writes
 * Russian or Thai has no ASCII inside of words.
 *
 * @returns the name of a set, null when nothing fits
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

/** Whether every byte stands for something in a set of single bytes. */
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

/** Thai bytes are valid Korean ones too, but what they spell then is hardly ever Hangul. */
function isKorean(words: string): boolean {
  const text = iconv.decode(Buffer.from(words, 'latin1'), 'cp949').replaceAll(' ', '');
  const hangul = text.replace(/[^\uAC00-\uD7A3]/g, '').length;
  return hangul * 2 > text.length;
}
