import { leavesOf } from './bind-places.js';
import { exclusive, fieldOf, nameOf, printValue } from './print-query.js';
import { fieldLike, fieldNamed } from './query-language.js';
import type {
  AgeQuery,
  DateQuery,
  Day,
  NumberQuery,
  Query,
  TextFind,
  UserPlaces,
} from './query.js';

/** Texts of the area `query`, in a language: `(key, values) => textIn(language, 'query', key, values)`. */
export type QueryTexts = (key: string, values?: Readonly<Record<string, string>>) => string;

/** A query read back in words, with brackets where "and", "or" and "not" meet. @param language of numbers */
export function describeQuery(
  query: Query,
  places: UserPlaces,
  t: QueryTexts,
  language = 'en',
): string {
  return new Description(places, t, language).of(query);
}

class Description {
  constructor(
    private readonly places: UserPlaces,
    private readonly t: QueryTexts,
    private readonly language: string,
  ) {}

  of(query: Query): string {
    const { t } = this;
    switch (query.kind) {
      case 'everything': {
        return t('everything');
      }
      case 'and':
      case 'or': {
        return query.of
          .map((part) => this.#within(part))
          .reduce((first, second) => t(query.kind, { first, second }));
      }
      case 'not': {
        return t('not', { what: this.#within(query.of) });
      }
      case 'text': {
        const what = this.#find(query.find);
        return query.in === 'words' ? what : t(`in_${query.in}`, { what });
      }
      case 'is': {
        return t(`is_${query.state}`);
      }
      case 'has': {
        return t(query.what === 'label' ? 'is_labelled' : `has_${query.what}`);
      }
      case 'place': {
        const isAny = query.id === null && query.name === '*';
        return isAny ? t('is_labelled') : t(query.of, { what: nameOf(query, this.places) });
      }
      case 'date': {
        return this.#date(query);
      }
      case 'age': {
        const key = query.than === 'older' ? 'longerAgo' : 'within';
        return t(key, { of: t('published'), what: this.#time(query.count, query.unit) });
      }
      case 'number': {
        return this.#number(query);
      }
      case 'site': {
        return t('site', { what: printValue(query, this.places) });
      }
      case 'ask': {
        return t('ask', { what: query.question });
      }
    }
  }

  #within(part: Query): string {
    return part.kind === 'and' || part.kind === 'or' ? `(${this.of(part)})` : this.of(part);
  }

  #find(find: TextFind): string {
    if (find.kind === 'any') {
      return this.t('any');
    }
    if (find.kind === 'pattern') {
      return this.t('pattern', { text: `/${find.source}/${find.flags}` });
    }
    const key = find.isPrefix ? 'prefix' : find.isWhole ? 'whole' : 'phrase';
    return this.t(key, { text: find.text });
  }

  #date({ of: what, from, to, before }: DateQuery): string {
    const of = this.t(what);
    const [first, last, end] = [from, to, before].map((day) => this.#day(day ?? null));
    const [, count, unit] = /^PT?(\d+)(.)$/.exec(from ?? '') ?? [];
    if (count !== undefined) {
      const time = this.#time(Number(count), unit?.toLowerCase() as AgeQuery['unit']);
      return this.t('within', { of, what: time });
    }
    const key =
      before !== undefined
        ? 'before'
        : from === to
          ? 'on'
          : to === null
            ? 'from'
            : from === null
              ? 'until'
              : 'between';
    return this.t(key, { of, from: first ?? '', to: (before === undefined ? last : end) ?? '' });
  }

  #day(day: Day | null): string {
    return day !== null && /^[a-z]/.test(day) ? this.t(day) : (day ?? '');
  }

  #number({ of, least, most }: NumberQuery): string {
    const shown = (value: number | null) =>
      value === null ? '' : of === 'words' ? String(value) : this.#duration(value);
    const beyond =
      least === null ? exclusive(most ?? 0, 1) : most === null ? exclusive(least, -1) : null;
    const key = least === null ? 'most' : most === null ? 'least' : 'range';
    const what =
      least === most
        ? shown(least)
        : beyond === null
          ? this.t(key, { from: shown(least), to: shown(most) })
          : this.t(least === null ? 'less' : 'more', { than: shown(beyond) });
    return this.t(of, { what });
  }

  #duration(seconds: number): string {
    return seconds > 0 && seconds % 3600 === 0
      ? this.#unit(seconds / 3600, 'hour')
      : seconds > 0 && seconds % 60 === 0
        ? this.#unit(seconds / 60, 'minute')
        : this.#unit(seconds, 'second');
  }

  #time(count: number, unit: AgeQuery['unit']): string {
    return this.#unit(count, { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year' }[unit]);
  }

  #unit(count: number, unit: string): string {
    const form = { style: 'unit', unit, unitDisplay: 'long' } as const;
    return new Intl.NumberFormat(this.language, form).format(count);
  }
}

/** What may be meant otherwise than it is read, in sentences. */
export function hintsOf(query: Query, t: QueryTexts): string[] {
  const hints = new Set<string>();
  for (const leaf of leavesOf(query)) {
    if (leaf.kind !== 'text') {
      continue;
    }
    const { find } = leaf;
    if (find.kind === 'phrase' && leaf.in === 'words') {
      const name = /^([\p{L}][\p{L}_-]*):\S/u.exec(find.text)?.[1];
      const meant =
        name === undefined || fieldNamed(name) !== undefined ? undefined : fieldLike(name);
      if (name !== undefined && meant !== undefined) {
        hints.add(t('hintField', { name, field: meant.name }));
      }
    }
    if (find.kind === 'pattern' && leaf.in === 'address' && /^[\w-]+$/.test(find.source)) {
      const field = fieldOf(leaf) ?? '';
      hints.add(
        t('hintPattern', { pattern: `/${find.source}/`, query: `${field}:"/${find.source}/"` }),
      );
    }
  }
  return [...hints];
}
