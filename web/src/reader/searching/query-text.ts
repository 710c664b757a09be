import type { QueryField } from '../model/search-api.js';

/** Why a query cannot be read. */
export interface QueryProblem {
  readonly message: string;
  /** Place in the typed text. */
  readonly at: number;
}

/** What may be typed at the caret: it replaces the text from `from` to the caret. */
export interface Offer {
  readonly from: number;
  readonly choices: readonly Choice[];
}

export interface Choice {
  readonly text: string;
  /** An example with its meaning; empty for names of the user's own. */
  readonly words: string;
}

/** The names that a query may contain. */
export interface QueryNames {
  readonly fields: readonly QueryField[];
  readonly feed: readonly string[];
  readonly folder: readonly string[];
  readonly label: readonly string[];
  readonly search: readonly string[];
}

/** The parts of `RequestFailed` that decide here. */
interface Failure {
  readonly status?: number;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const MOST_CHOICES = 8;
/** Characters around the place of an error. */
const AROUND = 24;

/** Fields that name something of the user. */
export const PLACES = {
  feed: 'feed',
  folder: 'folder',
  in: 'folder',
  label: 'label',
  search: 'search',
};

/** A term begins here. */
const START = '(?<=(?:^|[\\s(])[-!]?)';
const VALUE = new RegExp(`${START}([\\p{L}_]+):(\\p{L}*)$`, 'iu');
const PLACE = new RegExp(`${START}(feed|folder|in|label|search):(?:"([^"]*)|([^\\s"()]*))$`, 'iu');
const NAME = new RegExp(`${START}(\\p{L}[\\p{L}_]*)$`, 'iu');

/** @returns null if the failure is another one */
export function problemOf(failure: unknown): QueryProblem | null {
  const { status, message = '', details } = (failure ?? {}) as Failure;
  const at = details?.['at'];
  return status === 422 && typeof at === 'number' ? { message, at } : null;
}

/** @param isAsked offers all fields where nothing is typed yet */
export function offerAt(query: string, caret: number, names: QueryNames, isAsked = false): Offer {
  const typed = query.slice(0, caret);
  const [place, kind = '', quoted, bare] = PLACE.exec(typed) ?? [];
  if (place !== undefined) {
    const known = names[PLACES[kind.toLowerCase() as keyof typeof PLACES] as 'feed'];
    const found = known.filter((name) => folded(name).includes(folded(quoted ?? bare ?? '')));
    return offer(caret - place.length, found, (name) => `${kind}:${quotedName(name)} `);
  }
  const isInPhrase = (typed.match(/"/g)?.length ?? 0) % 2 === 1;
  if (isInPhrase) {
    return { from: caret, choices: [] };
  }
  const [value, field = '', begun = ''] = VALUE.exec(typed) ?? [];
  if (value !== undefined) {
    const values = names.fields.find(({ name }) => name === field.toLowerCase())?.values ?? [];
    const found = values.filter((one) => one.startsWith(begun));
    return offer(caret - value.length, found, (one) => `${field}:${one} `);
  }
  const [name] = NAME.exec(typed) ?? (isAsked && /(?:^|[\s(])[-!]?$/.test(typed) ? [''] : []);
  const fields = names.fields.filter((one) => one.name.startsWith((name ?? '').toLowerCase()));
  return name === undefined
    ? { from: caret, choices: [] }
    : {
        from: caret - name.length,
        choices: fields.map(({ name: text, example, words }) => ({
          text: `${text}:`,
          words: `${example}: ${words}`,
        })),
      };
}

/** What was typed around the place of an error; `place` is empty at the end. */
export function aroundError(query: string, at: number) {
  const end = at + (/^\S+/.exec(query.slice(at))?.[0].length ?? 0);
  const before = query.slice(0, at);
  const after = query.slice(end);
  return {
    before: before.length > AROUND ? `…${before.slice(-AROUND)}` : before,
    place: query.slice(at, end),
    after: after.length > AROUND ? `${after.slice(0, AROUND)}…` : after,
  };
}

function offer(from: number, found: readonly string[], textOf: (name: string) => string): Offer {
  const choices = found.slice(0, MOST_CHOICES).map((name) => ({ text: textOf(name), words: '' }));
  return { from, choices };
}

/** As a value: in quotation marks, unless it is one plain word. */
export function quotedName(name: string): string {
  return /^[\p{L}\p{N}]+$/u.test(name) ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
}

function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
