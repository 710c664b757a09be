import chardet from 'chardet';
import iconv from 'iconv-lite';

/** Looked at of a document; more does not make the guess better. */
const SAMPLE_BYTES = 64 * 1024;

/** Sets for alphabets whose words are mostly ASCII, with an accent here and there. */
const LATIN = /^(?:ISO-8859-[1-49]|ISO-8859-1[0-6]|windows-125[02478])$/;

/** So few characters, mostly quotes and dashes, prove no alphabet. */
const FEWEST_HIGH_BYTES = 8;

const A_TAG = /<[^<>]{0,2000}>/g;
/** What stands between separators; of ASCII only letters belong to a word. */
const WORD_WITH_HIGH_BYTES = /[A-Za-z]{0,60}[\u0080-\u00FF][A-Za-z\u0080-\u00FF]{0,200}/g;

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
  if (highBytes < FEWEST_HIGH_BYTES) return null;
  const isLatin = highBytes * 2 < words.replaceAll(' ', '').length;
  const confidences = new Map<string, number>();
  for (const sample of [text, words, words]) {
    for (const { name, confidence } of chardet.analyse(Buffer.from(sample, 'latin1'))) {
      if (name.startsWith('UTF') || name === 'ASCII' || LATIN.test(name) !== isLatin) continue;
      confidences.set(name, (confidences.get(name) ?? 0) + confidence);
    }
  }
  const sorted = [...confidences].sort(([, a], [, b]) => b - a);
  return sorted.find(([name]) => name !== 'EUC-KR' || isKorean(words))?.[0] ?? null;
}

/** Thai bytes are valid Korean ones too, but what they spell then is hardly ever Hangul. */
function isKorean(words: string): boolean {
  const text = iconv.decode(Buffer.from(words, 'latin1'), 'cp949').replaceAll(' ', '');
  const hangul = text.replace(/[^\uAC00-\uD7A3]/g, '').length;
  return hangul * 2 > text.length;
}
