import type { QueriedArticle, Query, TextFind } from '../../src/news/query/query.js';
import { PLACES, queriedArticle } from './query-articles.js';

/** Numbers that follow from the seed (mulberry32). */
export class Chance {
  constructor(private state: number) {}

  below(most: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  }

  of<Thing>(things: readonly Thing[]): Thing {
    return things[this.below(things.length)] as Thing;
  }

  some<Thing>(least: number, most: number, one: () => Thing): Thing[] {
    return Array.from({ length: least + this.below(most - least + 1) }, one);
  }
}

const WORDS = [
  'cafe', 'café', 'Cafe\u0301', 'CAFÉ', 'caf', 'ab', 'aB', 'abc', 'a', 'Straße', 'STRASSE', 'strasse', 'İst', 'ist', 'IST',
  'c++', 'C++26', 'c', 'f#', 'at&t', 'AT', 't', 'Ærø', 'aero', 'ærø', 'd’un', "d'un", 'un', 'ώσ', 'Ωσ', 'ΏΣ', 'ώς', 'й', 'и',
  '東京', '大雨', '東京で大雨', 'カ', 'iPhone東京', 'ab東京c', '한국', 'so\u00adft', 'soft', 'snake_case', 'snake', '7.8', '50%', 'x-y',
  'or', 'NOT', 'title:', 'note:x', '12:30', '(g+)', '"q"', '*', '-', ':)', '\\', '/a/', '#tag', '!b',
]; // prettier-ignore

const SPACES = [' ', ' ', ' ', ' ', ': ', ' – ', '\u00a0', ', ', '-', '. ', ' (', '  ', '/', ' + '];
const PATTERNS = [
  'ab+',
  '^cafe',
  '\\bcafé\\b',
  'soft a',
  '[a-c]{2} ',
  '\\bc\\+\\+',
  'a|é',
  '\\w京',
  '大.$',
  '(?:ab|t)\\b',
];
const DAYS = ['2026-03-10', '2026-03', '2026', '2025-12-31', '2026-02-28'];

const textOf = (chance: Chance, least: number, most: number) =>
  chance
    .some(least, most, () => chance.of(WORDS) + chance.of(SPACES))
    .join('')
    .trim();

export function anArticle(chance: Chance): QueriedArticle {
  return queriedArticle({
    title: textOf(chance, 0, 5),
    text: textOf(chance, 0, 30).replace(/[^\p{L}\p{M}\p{N}\s.,:!–-]/gu, chance.of(['', '$&'])),
    author: chance.of([null, textOf(chance, 1, 2)]) ?? undefined,
    categories: chance.some(0, 2, () => textOf(chance, 1, 2)),
    feed: chance.of(PLACES.feed).name,
    date: `${chance.of(['2026-03-10', '2026-03-12', '2026-02-28', '2025-12-31', '2026-03-01'])} 0${chance.below(10)}:00`,
    url: `https://${chance.of(['', 'www.'])}${chance.of(['a', 'b'])}.example/${chance.of(['ab', 'cafe', 'C'])}`,
    states: chance.some(0, 2, () => chance.of(['read', 'starred', 'filtered'] as const)),
    parts: chance.some(0, 1, () => chance.of(['audio', 'video', 'picture'] as const)),
    labels: chance.some(0, 1, () => chance.of(PLACES.label).name),
    duration: chance.of([undefined, 45, 60, 3600]),
  } as Parameters<typeof queriedArticle>[0]);
}

function aFind(chance: Chance, where: string): TextFind {
  const kind = chance.below(12);
  if (kind === 0) {
    return { kind: 'pattern', source: chance.of(PATTERNS), flags: '' };
  }
  if (kind === 1 && where !== 'words') {
    return { kind: 'any' };
  }
  const isWhole = where === 'category' && kind < 6;
  const text = textOf(chance, 1, kind < 7 ? 1 : 3)
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim();
  const isPrefix = !isWhole && kind < 4 && !/^\*?$/.test(text);
  return text === '*' || text === '\u00ad'
    ? { kind: 'phrase', text: 'ab', isPrefix: false, isWhole }
    : { kind: 'phrase', text, isPrefix, isWhole };
}

function aLeaf(chance: Chance): Query {
  const { feed, folder, label } = PLACES;
  switch (chance.below(14)) {
    case 0: {
      return { kind: 'place', of: 'feed', ...chance.of(feed) };
    }
    case 1: {
      return chance.of<Query>([
        { kind: 'place', of: 'folder', ...chance.of(folder) },
        { kind: 'place', of: 'label', ...chance.of(label) },
        { kind: 'place', of: 'label', id: null, name: '*' },
      ]);
    }
    case 2: {
      return {
        kind: 'is',
        state: chance.of(['unread', 'read', 'starred', 'filtered', 'labelled'] as const),
      };
    }
    case 3: {
      return {
        kind: 'has',
        what: chance.of(['audio', 'video', 'media', 'author', 'label'] as const),
      };
    }
    case 4: {
      const [from, to] = [chance.of(DAYS), chance.of(DAYS)];
      const of = chance.of(['published', 'arrived'] as const);
      return chance.of<Query>([
        { kind: 'date', of, from, to: from },
        { kind: 'date', of, from, to },
        { kind: 'date', of, from, to: null },
        { kind: 'date', of, from: null, to },
        { kind: 'date', of: 'published', from: null, to: null, before: to },
      ]);
    }
    case 5: {
      return {
        kind: 'age',
        than: chance.of(['older', 'newer'] as const),
        count: chance.below(60),
        unit: chance.of(['h', 'd', 'w'] as const),
      };
    }
    case 6: {
      const [least, most] = [chance.below(70), chance.below(70)];
      const of = 'duration';
      return chance.of<Query>([
        { kind: 'number', of, least, most: null },
        { kind: 'number', of, least: null, most },
        { kind: 'number', of, least, most },
      ]);
    }
    case 7: {
      return { kind: 'site', host: chance.of(['a.example', 'b.example', 'example', 'ample']) };
    }
    default: {
      const where = chance.of([
        'words',
        'words',
        'words',
        'title',
        'text',
        'author',
        'category',
        'address',
      ] as const);
      if (where === 'address') {
        return {
          kind: 'text',
          in: where,
          find: {
            kind: 'phrase',
            text: chance.of(['ab', 'CAFE', '/c', 'https://a']),
            isPrefix: false,
            isWhole: false,
          },
        };
      }
      return { kind: 'text', in: where, find: aFind(chance, where) };
    }
  }
}

export function aQuery(chance: Chance, depth: number): Query {
  const kind = depth === 0 ? 'leaf' : chance.of(['leaf', 'leaf', 'and', 'or', 'not']);
  if (kind === 'not') {
    const of = aQuery(chance, depth - 1);
    return of.kind === 'not' ? of : { kind, of };
  }
  if (kind === 'and' || kind === 'or') {
    return {
      kind,
      of: chance
        .some(2, 4, () => aQuery(chance, depth - 1))
        .flatMap((part) => (part.kind === kind ? part.of : [part])),
    };
  }
  return aLeaf(chance);
}
