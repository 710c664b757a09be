import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

/** The texts of one area of the pages in one language. */
export const TEXTS = /\/src\/texts\/([a-z]{2})\/([a-z]+)\.json$/;

type Texts = { [key: string]: string | Texts };

/** Texts without a translation are in English, until `npm run texts` finds none. */
export const englishFirst: Plugin = {
  name: 'english-first',
  enforce: 'pre',
  async transform(code, id) {
    if (!TEXTS.test(id)) {
      return null;
    }
    const english = id.replace(TEXTS, '/src/texts/en/$2.json');
    this.addWatchFile(english);
    const texts = JSON.parse(await readFile(english, 'utf8')) as Texts;
    return JSON.stringify(withEnglish(texts, JSON.parse(code) as Texts));
  },
};

/** @returns the texts; if some are in English, their keys as `inEnglish`, parted by spaces */
export function withEnglish(english: Texts, translated: Texts): Texts {
  const keys = missingKeys(english, translated).join(' ');
  return { ...inEnglishFirst(english, translated), ...(keys !== '' && { inEnglish: keys }) };
}

function missingKeys(english: Texts, translated: Texts, above = ''): string[] {
  return Object.entries(english).flatMap(([key, text]) => {
    const inner = translated[key] ?? {};
    return typeof text === 'object' && typeof inner === 'object'
      ? missingKeys(text, inner, `${above}${key}.`)
      : translated[key] === undefined
        ? [above + key]
        : [];
  });
}

function inEnglishFirst(english: Texts, translated: Texts): Texts {
  const added = Object.entries(translated).map(([key, text]) => {
    const before = english[key];
    const hasInner = typeof before === 'object' && typeof text === 'object';
    return [key, hasInner ? inEnglishFirst(before, text) : text];
  });
  return { ...english, ...Object.fromEntries(added) };
}
