import type { QueriedArticle, Query, TextFind, TextQuery } from '../../src/news/query/query.js';
import type { TokenQuery } from '../../src/news/query/wanted-tokens.js';

/**
 * Decides queries another way than the service: letter by letter, with backtracking and tables of its own. For
 * generated queries and articles, whose letters it knows.
 */

interface Sign {
  /** Lower case, with accents. */
  readonly exact: string;
  readonly bare: string;
  readonly kind: 'letter' | 'joined' | 'space' | 'sign';
}

const BARE: Readonly<Record<string, string>> = {
  é: 'e',
  ü: 'u',
  ä: 'a',
  å: 'a',
  ø: 'o',
  ç: 'c',
  ñ: 'n',
  ά: 'α',
  ώ: 'ω',
};

function signsOf(text: string): Sign[] {
  const signs: Sign[] = [];
  for (const character of text.normalize('NFC')) {
    if (/[\u00ad\u200b]/.test(character)) {
      continue;
    }
    if (/\s/.test(character)) {
      if (signs.at(-1)?.kind !== 'space') {
        signs.push({ exact: ' ', bare: ' ', kind: 'space' });
      }
      continue;
    }
    if (/[ßẞ]/.test(character)) {
      signs.push({ exact: 's', bare: 's', kind: 'letter' });
      signs.push({ exact: 's', bare: 's', kind: 'letter' });
      continue;
    }
    if (/[æÆ]/.test(character)) {
      signs.push({ exact: 'æ', bare: 'a', kind: 'letter' });
      signs.push({ exact: '', bare: 'e', kind: 'letter' });
      continue;
    }
    const lower =
      character === 'İ' || character === 'ı'
        ? 'i'
        : character === 'ς'
          ? 'σ'
          : character === '’'
            ? "'"
            : character === '–'
              ? '-'
              : character.toLowerCase();
    const kind = /[東京大雨天気カ한국]/.test(lower)
      ? 'joined'
      : /[a-z0-9_αάβσωώийéüäåøçñ]/.test(lower)
        ? 'letter'
        : 'sign';
    signs.push({ exact: lower, bare: BARE[lower] ?? lower, kind });
  }
  return signs;
}

const isLetter = (sign: Sign | undefined) => sign?.kind === 'letter' || sign?.kind === 'joined';

function phraseAt(text: Sign[], start: number, phrase: Sign[], isPrefix: boolean): number[] {
  const ends: number[] = [];
  const strict = phrase.map((_, n) => isInAccentedWord(phrase, n));
  const step = (n: number, at: number): void => {
    const sought = phrase[n];
    if (sought === undefined) {
      const cuts = text[at - 1]?.kind === 'letter' && text[at]?.kind === 'letter';
      if (isPrefix || !cuts) {
        ends.push(at);
      }
      return;
    }
    if (sought.kind === 'space' && isLetter(phrase[n - 1]) && isLetter(phrase[n + 1])) {
      if (phrase[n - 1]?.kind === 'joined' || phrase[n + 1]?.kind === 'joined') {
        step(n + 1, at);
      }
      for (let to = at; to < text.length && !isLetter(text[to]); to += 1) {
        step(n + 1, to + 1);
      }
      return;
    }
    const given = text[at];
    if (given?.bare === sought.bare && (strict[n] !== true || given.exact === sought.exact)) {
      step(n + 1, at + 1);
    }
  };
  if (
    !(
      phrase[0]?.kind === 'letter' &&
      text[start]?.kind === 'letter' &&
      text[start - 1]?.kind === 'letter'
    )
  ) {
    step(0, start);
  }
  return ends;
}

function isInAccentedWord(phrase: Sign[], n: number): boolean {
  let [from, to] = [n, n];
  while (isLetter(phrase[from])) {
    from -= 1;
  }
  while (isLetter(phrase[to])) {
    to += 1;
  }
  return phrase.slice(from + 1, to).some(({ exact, bare }) => exact !== bare);
}

function hasPhrase(text: string, find: Extract<TextFind, { kind: 'phrase' }>): boolean {
  const signs = signsOf(text);
  const phrase = signsOf(find.text);
  return find.isWhole
    ? phraseAt(signs, 0, phrase, find.isPrefix).includes(signs.length)
    : [...signs.keys()].some((at) => phraseAt(signs, at, phrase, find.isPrefix).length > 0);
}

function partsOf(article: QueriedArticle, where: TextQuery['in']): string[] {
  const all: Record<TextQuery['in'], (string | null)[]> = {
    title: [article.title],
    text: [article.text()],
    author: [article.author],
    category: [...article.categories],
    address: [article.url],
    words: [article.title, article.text(), article.author, ...article.categories],
  };
  return all[where].filter((text): text is string => text !== null && text !== '');
}

/** Dates are days in UTC. */
export function naivelyMatches(query: Query, article: QueriedArticle, now: Date): boolean {
  switch (query.kind) {
    case 'everything': {
      return true;
    }
    case 'and': {
      return query.of.every((part) => naivelyMatches(part, article, now));
    }
    case 'or': {
      return query.of.some((part) => naivelyMatches(part, article, now));
    }
    case 'not': {
      return !naivelyMatches(query.of, article, now);
    }
    case 'text': {
      const { find } = query;
      return partsOf(article, query.in).some((text) => {
        if (find.kind === 'any') {
          return true;
        }
        if (find.kind === 'pattern') {
          const plain = text
            .normalize('NFC')
            .replace(/[\u00ad\u200b]/g, '')
            .replace(/\s+/g, ' ');
          return new RegExp(unicode(find.source), `u${find.flags}`).test(plain);
        }
        return query.in === 'address'
          ? text.toLowerCase().includes(find.text.toLowerCase())
          : hasPhrase(text, find);
      });
    }
    case 'site': {
      const host = (article.url ?? '').replace(/^https:\/\//, '').replace(/\/.*/, '');
      return host === query.host || host.endsWith(`.${query.host}`);
    }
    case 'place': {
      return query.of === 'feed'
        ? article.feedId === query.id
        : query.of === 'folder'
          ? article.folderId === query.id
          : query.id === null
            ? article.labelIds.length > 0
            : article.labelIds.includes(query.id);
    }
    case 'is': {
      return article.states[query.state];
    }
    case 'has': {
      return article.parts[query.what];
    }
    case 'date': {
      const at = query.of === 'arrived' ? article.arrivedSeconds : article.publishedSeconds;
      const day = new Date(at * 1000).toISOString();
      return (
        (query.from === null || day >= query.from) &&
        (query.to === null || day < query.to || day.startsWith(query.to)) &&
        (query.before === undefined || day < query.before)
      );
    }
    case 'age': {
      const hours = { h: 1, d: 24, w: 168, m: Number.NaN, y: Number.NaN }[query.unit];
      const age = (now.getTime() / 1000 - article.publishedSeconds) / 3600;
      return query.than === 'older' ? age > query.count * hours : age <= query.count * hours;
    }
    case 'number': {
      const words = article.text().match(/[^\s.,:!–-]+/g)?.length ?? null;
      const value = query.of === 'duration' ? article.durationSeconds : words;
      return (
        value !== null &&
        value >= (query.least ?? Number.NEGATIVE_INFINITY) &&
        value <= (query.most ?? Number.POSITIVE_INFINITY)
      );
    }
    case 'ask': {
      return article.answerTo(query.question) === true;
    }
  }
}

const WORD = String.raw`[\p{L}\p{M}\p{N}_]`;

const unicode = (source: string) =>
  source
    .replaceAll('\\w', WORD)
    .replaceAll('\\b', `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`);

/** Whether an index with these tokens finds an article. */
export function indexFinds(
  query: TokenQuery,
  tokens: Readonly<Record<'title' | 'text' | 'author' | 'category', readonly string[]>>,
): boolean {
  switch (query.kind) {
    case 'everything': {
      return true;
    }
    case 'and': {
      return query.of.every((part) => indexFinds(part, tokens));
    }
    case 'or': {
      return query.of.some((part) => indexFinds(part, tokens));
    }
    default: {
      const { kind, token } = query;
      const there = query.in === 'words' ? Object.values(tokens).flat() : tokens[query.in];
      return there.some((one) => (kind === 'prefix' ? one.startsWith(token) : one === token));
    }
  }
}
