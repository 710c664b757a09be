import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { withEnglish } from '../web/english-first.js';
import { LANGUAGES, pluralCategories, type Language } from '../web/src/texts/languages.js';
import { refused } from './support/untranslated.js';

/** Texts of the pages: none is left over, and for `npm run texts` none is missing in any language. */

const TEXTS = 'web/src/texts';
const languages = Object.keys(LANGUAGES) as Language[];
const english = textsOf('en');

/** Words that are the same in another language, or are said in English there; `*`: in all. */
const SAME_IN_ENGLISH: Readonly<Record<string, readonly string[] | undefined>> = JSON.parse(
  readFileSync('test/texts-same-in-english.json', 'utf8'),
);

/** Beginnings of keys that the code puts together: what is below them counts as used. */
const PUT_TOGETHER = /[`'"]((?:[a-zA-Z_-]+\.)+)\$\{/g;

describe.each(languages)('the texts in %s', (language) => {
  const translated = textsOf(language);

  it('have the keys of English, those of new texts at the latest before a release', () => {
    expect({
      missing: refused([...english.keys()].filter((key) => !translated.has(key))),
      leftOver: [...translated.keys()].filter((key) => !english.has(key)),
    }).toEqual({ missing: [], leftOver: [] });
  });

  it('have the parameters of English', () => {
    const differing = [...translated].filter(
      ([key, text]) => parametersOf(text).join() !== parametersOf(english.get(key) ?? '').join(),
    );

    expect(differing.map(([key, text]) => `${key}: ${text}`)).toEqual([]);
  });

  it('have a form for each kind of number', () => {
    const wrong = [...translated].filter(([key, text]) => {
      const forms = formsOf(english.get(key) ?? '').length;
      const expected = forms === 1 ? 1 : pluralCategories(language).length + forms - 2;
      return formsOf(text).length !== expected;
    });

    expect(wrong.map(([key, text]) => `${key}: ${text}`)).toEqual([]);
  });

  it('say something', () => {
    const empty = [...translated].flatMap(([key, text]) =>
      formsOf(text).some((form) => form === '') || text !== text.trim() ? [key] : [],
    );

    expect(empty).toEqual([]);
  });

  it('are not left in English', () => {
    const same = [...translated].flatMap(([key, text]) =>
      language !== 'en' && text === english.get(key) ? [text] : [],
    );
    const allowed = new Set([
      ...(SAME_IN_ENGLISH['*'] ?? []),
      ...(SAME_IN_ENGLISH[language] ?? []),
    ]);

    expect(same.filter((text) => !allowed.has(text))).toEqual([]);
  });
});

it('A text without a translation is in English, and named, so that pages mark its language', () => {
  const english = {
    title: 'Feeds',
    add: { title: 'Add a feed', hint: 'Its address' },
    by: { a: 'A' },
  };
  const add = { title: 'Kanal hinzufügen' };

  expect(withEnglish(english, { title: 'Kanäle', add })).toEqual({
    title: 'Kanäle',
    add: { ...add, hint: 'Its address' },
    by: { a: 'A' },
    inEnglish: 'add.hint by.a',
  });
  expect(withEnglish({ add: english.add }, { add: { ...add, hint: 'Adresse' } })).toEqual({
    add: { ...add, hint: 'Adresse' },
  });
});

describe('the style sheets of the pages', () => {
  it('name no side: they are mirrored for Arabic and Hebrew', () => {
    const physical = globSync('web/src/**/*.{css,vue}').flatMap((file) => {
      const lines = readFileSync(file, 'utf8').split('\n');
      return lines.flatMap((line, at) => (namesSide(line) ? [`${file}:${at + 1}:${line}`] : []));
    });

    expect(physical).toEqual([]);
  });
});

/** `padding: 0 1rem 0 2rem` has a left and a right that differ, `translateX` and `left` say it. */
function namesSide(line: string): boolean {
  const [, property = '', value = ''] = /^\s+([a-z-]+): (.*);$/.exec(line) ?? [];
  const [top, right, bottom, left] = value
    .replace(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '()')
    .split(' ');
  const differs =
    property === 'border-radius'
      ? top !== right || bottom !== left
      : /^(?:margin|padding|inset|scroll-margin|scroll-padding)$/.test(property) && right !== left;
  return (
    /(?:^|-)(?:left|right)(?:-|$)/.test(property) ||
    (/^(?:text-align|float|clear)$/.test(property) && /^(?:left|right)$/.test(value)) ||
    /translateX|translate3d/.test(value) ||
    (left !== undefined && differs)
  );
}

describe('the keys of texts', () => {
  const areas = [...new Set([...english.keys()].map((key) => key.split('.')[0]))].join('|');
  const code = globSync('web/src/**/*.{ts,vue}').map((file) => readFileSync(file, 'utf8'));
  const written = new RegExp(`[\`'"]((?:${areas})(?:\\.[a-zA-Z0-9_-]+)+)[\`'"]`, 'g');
  const used = new Set(
    code.flatMap((text) => [...text.matchAll(written)].map(([, key = '']) => key)),
  );
  const prefixes = code
    .flatMap((text) => [...text.matchAll(PUT_TOGETHER)].map(([, prefix = '']) => prefix))
    .filter((prefix) => new RegExp(`^(?:${areas})\\.`).test(prefix));

  it('that the code names exist', () => {
    expect([...used].filter((key) => !english.has(key) && !english.has(`${key}.title`))).toEqual(
      [],
    );
  });

  it('that the code puts together exist', () => {
    const keys = [...english.keys()];

    expect(prefixes.filter((prefix) => !keys.some((key) => key.startsWith(prefix)))).toEqual([]);
  });

  it('are all used', () => {
    const unused = [...english.keys()].filter(
      (key) => !used.has(key) && !prefixes.some((prefix) => isBelow(prefix, key)),
    );

    expect(unused).toEqual([]);
  });
});

/** `admin.${area}.title` names keys that end alike, not everything of the area. */
function isBelow(prefix: string, key: string): boolean {
  return prefix.split('.').length > 2 ? key.startsWith(prefix) : /\.[a-z]+\.title$/.test(key);
}

function textsOf(language: string): Map<string, string> {
  return new Map(
    globSync(`${TEXTS}/${language}/*.json`).flatMap((file) =>
      flat(path.basename(file, '.json'), JSON.parse(readFileSync(file, 'utf8'))),
    ),
  );
}

function flat(key: string, value: unknown): [string, string][] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) => flat(`${key}.${name}`, inner));
  }
  return [[key, String(value)]];
}

const formsOf = (text: string) => text.split('|').map((form) => form.trim());

const parametersOf = (text: string) =>
  [...new Set([...text.matchAll(/\{\w+\}/g)].map(([name]) => name))].toSorted();
