import { JOINED_RUN } from './folded-text.js';

/** Words of a text; of scripts without spaces, two characters are taken for one. */
export function wordsOf(text: string): number {
  let words = 0;
  for (const [run] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    let joined = 0;
    for (const [part] of run.matchAll(JOINED_RUN)) {
      joined += part.length;
    }
    words += joined === 0 ? 1 : Math.ceil(joined / 2) + (joined < run.length ? 1 : 0);
  }
  return words;
}
