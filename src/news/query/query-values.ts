import { QueryError } from './query-error.js';
import type { AgeQuery, DateQuery, Day, NumberQuery } from './query.js';

/** A value as it is written, without quotation marks, and its place in the typed text. */
export interface Written {
  readonly text: string;
  readonly at: number;
}

const POINT = /^(?:(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?|today|yesterday|now)$/i;
const PERIOD = /^P(?:(\d{1,4})([DWMY])|T(\d{1,4})(H))$/i;
const AGE = /^(\d{1,4})([hdwmy])$/i;
const NUMBER = /^(>=|<=|>|<)?(\d{1,9})([smhd]?)$/i;

/** `2026-03`, `a..b`, `a/b`, `P3D` of `date:` and `arrived:`. */
export function dateRange(of: DateQuery['of'], { text, at }: Written): DateQuery | AgeQuery {
  const period = PERIOD.exec(text);
  if (period !== null && of === 'published') {
    const unit = (period[2] ?? period[4] ?? '').toLowerCase() as AgeQuery['unit'];
    return { kind: 'age', than: 'newer', count: Number(period[1] ?? period[3]), unit };
  }
  if (period !== null) {
    return { kind: 'date', of, from: text.toUpperCase(), to: null };
  }
  if (/^\d{4}\/\d{1,2}(?:\/\d{1,2})?$/.test(text)) {
    const one = dayOf({ text, at });
    return { kind: 'date', of, from: one, to: one };
  }
  const [, first = text, middle = '', last = ''] = /^(.*?)(\.\.|\/)(.*)$/.exec(text) ?? [];
  const from = first === '' ? null : dayOf({ text: first, at });
  const to = last === '' ? null : dayOf({ text: last, at: at + first.length + middle.length });
  if (middle === '' || (from === null && to === null)) {
    const one = dayOf({ text, at });
    return { kind: 'date', of, from: one, to: one };
  }
  return { kind: 'date', of, from, to };
}

export function dayOf({ text, at }: Written): Day {
  const point = POINT.exec(text.replaceAll('/', '-'));
  const [year, month, day] = (point?.slice(1) ?? []).map((part) => part?.padStart(2, '0'));
  const date = new Date(`${year ?? '2000'}-${month ?? '01'}-${day ?? '01'}T00:00:00Z`);
  if (
    point === null ||
    Number.isNaN(date.getTime()) ||
    (day !== undefined && date.getUTCDate() !== Number(day))
  ) {
    throw new QueryError(`"${text}" is no date. Write it like 2026-03-10, 2026-03 or today.`, at);
  }
  return year === undefined ? text.toLowerCase() : [year, month, day].filter(Boolean).join('-');
}

/** `2d` of `older_than:`; a date as in `older:2026-03-10` is read as well. */
export function ageOrDate(than: AgeQuery['than'], { text, at }: Written): AgeQuery | DateQuery {
  const [, count, unit] = AGE.exec(text) ?? [];
  if (count !== undefined) {
    return {
      kind: 'age',
      than,
      count: Number(count),
      unit: unit?.toLowerCase() as AgeQuery['unit'],
    };
  }
  if (/^\d{4}[-/]/.test(text)) {
    const day = dayOf({ text, at });
    return than === 'newer'
      ? { kind: 'date', of: 'published', from: day, to: null }
      : { kind: 'date', of: 'published', from: null, to: null, before: day };
  }
  throw new QueryError(`"${text}" is no time. Write it like 12h, 3d, 2w, 6m or 1y.`, at);
}

const SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** `>800`, `<=60s`, `1m..5m` of `words:` and `duration:`. */
export function numberRange(of: NumberQuery['of'], { text, at }: Written): NumberQuery {
  const [first = '', last, more] = text.split('..');
  const bounds = [first, last].map((bound) => {
    const [, sign = '', digits, unit = ''] = NUMBER.exec(bound ?? '') ?? [];
    const isMissing = bound === undefined || (bound === '' && last !== undefined && last !== first);
    if (
      !isMissing &&
      (digits === undefined ||
        (of === 'words' && unit !== '') ||
        (last !== undefined && sign !== ''))
    ) {
      throw new QueryError(`"${text}" is no number. Write it like >800, <60s or 100..200.`, at);
    }
    return { isMissing, sign, value: Number(digits) * (SECONDS[unit.toLowerCase()] ?? 1) };
  });
  const [low, high] = bounds;
  if (more !== undefined || low === undefined || high === undefined) {
    throw new QueryError(`"${text}" is no number. Write it like >800, <60s or 100..200.`, at);
  }
  if (last !== undefined) {
    return {
      kind: 'number',
      of,
      least: low.isMissing ? null : low.value,
      most: high.isMissing ? null : high.value,
    };
  }
  return {
    kind: 'number',
    of,
    least: low.sign.startsWith('<') ? null : low.value + (low.sign === '>' ? 1 : 0),
    most: low.sign.startsWith('>') ? null : low.value - (low.sign === '<' ? 1 : 0),
  };
}
