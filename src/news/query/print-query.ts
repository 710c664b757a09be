import { domainToUnicode } from 'node:url';
import { FIELDS, fieldNamed } from './query-language.js';
import type { DateQuery, NumberQuery, PlaceQuery, Query, TextQuery, UserPlaces } from './query.js';

/** The canonical form, which `parseQuery` and `bindPlaces` read as the same tree. */
export function printQuery(query: Query, places: UserPlaces): string {
  return query.kind === 'everything' ? '' : new Printer(places).print(query, 'or');
}

/** What stands around a part: what binds tighter needs brackets there. */
type Within = 'or' | 'and' | 'not';

class Printer {
  constructor(private readonly places: UserPlaces) {}

  print(query: Query, within: Within): string {
    switch (query.kind) {
      case 'and':
      case 'or': {
        const field = commonField(query.of);
        const inner = query.of
          .map((part) =>
            field === null ? this.print(part, query.kind) : printValue(part, this.places),
          )
          .join(query.kind === 'or' ? ' OR ' : ' ');
        const needsBrackets = within === 'not' || (within === 'and' && query.kind === 'or');
        return field !== null ? `${field}:(${inner})` : needsBrackets ? `(${inner})` : inner;
      }
      case 'not': {
        return `-${this.print(query.of, 'not')}`;
      }
      default: {
        const field = fieldOf(query);
        const value = printValue(query, this.places);
        return field === null ? value : `${field}:${value}`;
      }
    }
  }
}

/** What stands after the field of a part. */
export function printValue(query: Query, places: UserPlaces): string {
  switch (query.kind) {
    case 'text': {
      return textValue(query);
    }
    case 'place': {
      return placeValue(query, places);
    }
    case 'site': {
      return domainToUnicode(query.host) || query.host;
    }
    case 'is': {
      return query.state;
    }
    case 'has': {
      return query.what;
    }
    case 'date': {
      return dateValue(query);
    }
    case 'age': {
      return `${query.count}${query.unit}`;
    }
    case 'number': {
      return numberValue(query);
    }
    case 'ask': {
      return quoted(query.question);
    }
    default: {
      return '';
    }
  }
}

/** The field of all parts, if it is the same and can have brackets; else null. */
function commonField(parts: readonly Query[]): string | null {
  const fields = new Set(parts.map(fieldOf));
  const [field] = fields;
  const canBe = parts.every(({ kind }) => kind === 'text' || kind === 'place');
  return fields.size === 1 && field !== undefined && canBe ? field : null;
}

/** The name of the field of a part; null for plain words and what has parts. */
export function fieldOf(query: Query): string | null {
  switch (query.kind) {
    case 'text':
    case 'place': {
      const { kind } = query;
      const what = query.kind === 'text' ? query.in : query.of;
      const found = FIELDS.find(
        ({ meaning }) =>
          meaning.kind === kind &&
          ('in' in meaning ? meaning.in : 'of' in meaning ? meaning.of : '') === what,
      );
      return found?.name ?? null;
    }
    case 'date': {
      return query.of === 'arrived'
        ? 'arrived'
        : query.before !== undefined
          ? 'before'
          : query.to === null
            ? 'after'
            : 'date';
    }
    case 'age': {
      return `${query.than}_than`;
    }
    case 'number': {
      return query.of;
    }
    case 'and':
    case 'or':
    case 'not':
    case 'everything': {
      return null;
    }
    default: {
      return query.kind;
    }
  }
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

function textValue({ in: where, find }: TextQuery): string {
  if (find.kind === 'any') {
    return '*';
  }
  if (find.kind === 'pattern') {
    return `/${find.source}/${find.flags}`;
  }
  const { text, isPrefix, isWhole } = find;
  if (isPrefix) {
    return `${escaped(text)}*`;
  }
  if (where === 'category') {
    return isWhole ? quoted(text) : escaped(text);
  }
  return isPlainWord(text) ? text : quoted(text);
}

/** Whether a text is read as one word. */
function isPlainWord(text: string): boolean {
  const name = /^([\p{L}][\p{L}_-]*):/u.exec(text)?.[1];
  return (
    /^[^\s()\\"“„‟”'#/*!-][^\s()\\]*$/u.test(text) &&
    !text.endsWith('*') &&
    !/^(?:or|and|not)$/i.test(text) &&
    (name === undefined || fieldNamed(name) === undefined)
  );
}

/** A text as one word, in which signs that would mean something are marked as plain. */
function escaped(text: string): string {
  return isPlainWord(text)
    ? text
    : text
        .replace(/[\s()\\*]/g, '\\$&')
        .replace(/^["“„‟”'#/!:-]|^(?:or|and|not)$/i, '\\$&')
        .replace(/^([\p{L}][\p{L}_-]*):/u, '$1\\:');
}

/** The present name of a place; of one that is gone its last. */
export function nameOf({ of, id, name }: PlaceQuery, places: UserPlaces): string {
  return places[of].find((place) => place.id === id)?.name ?? name;
}

function placeValue(query: PlaceQuery, places: UserPlaces): string {
  const { of, id } = query;
  const name = nameOf(query, places);
  if (id === null && name === '*') {
    return '*';
  }
  const isClear = places[of].every((one) => one.id === id || one.name !== name);
  return isClear || id === null ? (/^[\p{L}\p{N}]+$/u.test(name) ? name : quoted(name)) : `#${id}`;
}

function dateValue({ of, from, to, before }: DateQuery): string {
  if (before !== undefined) {
    return before;
  }
  if (from === to || (of === 'published' && to === null) || from?.startsWith('P') === true) {
    return from ?? '';
  }
  return `${from ?? ''}..${to ?? ''}`;
}

function numberValue({ of, least, most }: NumberQuery): string {
  const [low, high] = [least, most].map((value) => (value === null ? '' : withUnit(of, value)));
  if (least !== null && most !== null) {
    return least === most ? (low ?? '') : `${low}..${high}`;
  }
  const bound = least === null ? exclusive(most ?? 0, 1) : exclusive(least, -1);
  const sign = least === null ? '<' : '>';
  return bound === null ? `${sign}=${low}${high}` : `${sign}${withUnit(of, bound)}`;
}

/** The number beside a bound, if it is easier to read: `>800` for `>=801`, `<1m` for `<=59s`. */
export function exclusive(bound: number, step: 1 | -1): number | null {
  const beside = bound + step;
  return beside > 0 && beside % 10 === 0 ? beside : null;
}

function withUnit(of: NumberQuery['of'], value: number): string {
  if (of === 'words' || value === 0) {
    return String(value);
  }
  return value % 3600 === 0
    ? `${value / 3600}h`
    : value % 60 === 0
      ? `${value / 60}m`
      : `${value}s`;
}
