import { readFileSync } from 'node:fs';
import { directionOf, type Language } from './languages.js';
import { fill, SentenceTemplate } from './sentence-template.js';

/** Contents of `<language>.json`; English has no `sentences`: it is their key. */
interface TextFile {
  /** Texts of the pages that the service writes itself, by area and key. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Keyed by English sentence, with gaps such as `{path}`. */
  readonly sentences?: Readonly<Record<string, string>>;
}

interface Translations {
  readonly texts: TextFile['texts'];
  readonly exact: ReadonlyMap<string, string>;
  /** The fullest first. */
  readonly templates: readonly SentenceTemplate[];
}

const loaded = new Map<Language, Translations>();

/**
 * Translates a sentence of the service, such as the message of a `DomainError` or the stored reason of a
 * failure. Sentences are stored and logged in English and translated when shown. @param sentence one or
 * several; each is translated
 * @returns the sentence itself if it is unknown
 */
export function sentenceIn(language: Language, sentence: string): string {
  if (language === 'en' || sentence === '') {
    return sentence;
  }
  const parts = sentence.split(BETWEEN_SENTENCES);
  const translated = parts.map((part) => knownSentence(language, part));
  // The last gap of a sentence may hold others: where each is known by itself, it does not.
  const whole =
    parts.length > 1 && translated.includes(undefined)
      ? knownSentence(language, sentence)
      : undefined;
  return whole ?? parts.map((part, index) => translated[index] ?? part).join(' ');
}

const BETWEEN_SENTENCES = /(?<=\.) (?=[A-Z\d])/;

function knownSentence(language: Language, sentence: string): string | undefined {
  const { exact, templates } = translationsOf(language);
  const same = exact.get(sentence);
  if (same !== undefined) {
    return same;
  }
  for (const template of templates) {
    const translated = template.translate(sentence, (clause) => sentenceIn(language, clause));
    if (translated !== undefined) {
      return translated;
    }
  }
  return undefined;
}

/** @param values of the gaps, such as `{provider}` */
export function textIn(
  language: Language,
  area: string,
  key: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const text = textsIn(language, area)[key];
  if (text === undefined) {
    throw new Error(`There is no text ${area}.${key}.`);
  }
  return fill(isolated(language, text), (name) => values[name] ?? '');
}

/** The texts of an area by key, with their gaps; in English those without a translation. */
export function textsIn(language: Language, area: string): Readonly<Record<string, string>> {
  return { ...translationsOf('en').texts[area], ...translationsOf(language).texts[area] };
}

/** Names and addresses in a text may be written in the other direction: each keeps its own. */
function isolated(language: Language, text: string): string {
  return directionOf(language) === 'rtl' ? text.replace(/\{\w+\}/g, '\u2068$&\u2069') : text;
}

function translationsOf(language: Language): Translations {
  const known = loaded.get(language);
  if (known !== undefined) {
    return known;
  }
  const file = new URL(`./${language}.json`, import.meta.url);
  const { texts, sentences = {} } = JSON.parse(readFileSync(file, 'utf8')) as TextFile;
  const entries = Object.entries(sentences);
  const translations = {
    texts,
    exact: new Map(entries.filter(([english]) => !english.includes('{'))),
    templates: entries
      .filter(([english]) => english.includes('{'))
      .map(
        ([english, translation]) => new SentenceTemplate(english, isolated(language, translation)),
      )
      .toSorted((a, b) => b.literalLength - a.literalLength),
  };
  loaded.set(language, translations);
  return translations;
}
