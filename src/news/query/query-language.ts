import type { DateQuery, ItemPart, ItemState, PlaceQuery, TextQuery } from './query.js';

/** What a field's value means. */
export type FieldMeaning =
  | { readonly kind: 'text'; readonly in: Exclude<TextQuery['in'], 'words'> }
  | { readonly kind: 'place'; readonly of: PlaceQuery['of'] | 'in' }
  | { readonly kind: 'site' | 'is' | 'has' | 'ask' }
  | {
      readonly kind: 'date';
      readonly of: DateQuery['of'];
      readonly as: 'range' | 'from' | 'before';
    }
  | { readonly kind: 'age'; readonly than: 'older' | 'newer' }
  | { readonly kind: 'number'; readonly of: 'words' | 'duration' };

export interface Field {
  /** As printed. */
  readonly name: string;
  /** Read, never printed. */
  readonly aliases: readonly string[];
  readonly example: string;
  readonly meaning: FieldMeaning;
}

const field = (names: string, example: string, meaning: FieldMeaning): Field => {
  const [name = '', ...aliases] = names.split(' ');
  return { name, aliases, example, meaning };
};

/** The fields of the language, for completion and its description. */
export const FIELDS: readonly Field[] = [
  field('intitle title subject', 'intitle:deals', { kind: 'text', in: 'title' }),
  field('intext body content text', 'intext:"white paper"', { kind: 'text', in: 'text' }),
  field('author from', 'author:doe', { kind: 'text', in: 'author' }),
  field('category tag', 'category:"Natural disasters"', { kind: 'text', in: 'category' }),
  field('inurl url link', 'inurl:"/shorts/"', { kind: 'text', in: 'address' }),
  field('site', 'site:example.org', { kind: 'site' }),
  field('feed', 'feed:"Code & Co"', { kind: 'place', of: 'feed' }),
  field('folder', 'folder:News', { kind: 'place', of: 'folder' }),
  field('in', 'in:News', { kind: 'place', of: 'in' }),
  field('label', 'label:Later', { kind: 'place', of: 'label' }),
  field('search', 'search:"my search"', { kind: 'place', of: 'search' }),
  field('is', 'is:unread', { kind: 'is' }),
  field('has', 'has:video', { kind: 'has' }),
  field('before', 'before:2026-04', { kind: 'date', of: 'published', as: 'before' }),
  field('after', 'after:2026-03-10', { kind: 'date', of: 'published', as: 'from' }),
  field('date pubdate published', 'date:2026-03-01..2026-03-07', {
    kind: 'date',
    of: 'published',
    as: 'range',
  }),
  field('arrived', 'arrived:today', { kind: 'date', of: 'arrived', as: 'range' }),
  field('older_than older', 'older_than:2d', { kind: 'age', than: 'older' }),
  field('newer_than newer max-age', 'newer_than:1w', { kind: 'age', than: 'newer' }),
  field('words word_count', 'words:>800', { kind: 'number', of: 'words' }),
  field('duration media_duration', 'duration:<10m', { kind: 'number', of: 'duration' }),
  field('ask', 'ask:"Is it about chess?"', { kind: 'ask' }),
];

const BY_NAME = new Map(
  FIELDS.flatMap((one) => [one.name, ...one.aliases].map((name) => [name, one])),
);

export const fieldNamed = (name: string): Field | undefined => BY_NAME.get(name.toLowerCase());

export const STATES: readonly ItemState[] = [
  'unread',
  'read',
  'starred',
  'filtered',
  'duplicate',
  'labelled',
];

export const PARTS: readonly ItemPart[] = [
  'audio',
  'video',
  'picture',
  'media',
  'comments',
  'author',
  'label',
];

/** Other names of parts, read, never printed. */
export const PART_ALIASES: ReadonlyMap<string, ItemPart> = new Map([
  ['image', 'picture'],
  ['enclosure', 'media'],
  ['attachment', 'media'],
]);

/** The known field that an unknown one may be meant for: at most two letters differ. */
export function fieldLike(name: string): Field | undefined {
  const near = [...BY_NAME].map(([known, { name: printed }]) => ({
    printed,
    distance: distanceOf(name.toLowerCase(), known),
    most: known.length < 4 ? 0 : known.length < 6 ? 1 : 2,
  }));
  const best = near
    .filter(({ distance, most }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance)[0];
  return best === undefined ? undefined : BY_NAME.get(best.printed);
}

/** Letters to change, insert or remove, or neighbours to swap. */
function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, m) => m)];
  const at = (n: number, m: number) => rows[n]?.[m] ?? Number.POSITIVE_INFINITY;
  for (let n = 1; n <= Math.min(a.length, b.length + 2); n += 1) {
    const row = [n];
    rows.push(row);
    for (let m = 1; m <= b.length; m += 1) {
      const isSame = a[n - 1] === b[m - 1];
      const isSwapped = a[n - 1] === b[m - 2] && a[n - 2] === b[m - 1];
      row.push(
        Math.min(
          at(n - 1, m - 1) + (isSame ? 0 : 1),
          at(n - 1, m) + 1,
          at(n, m - 1) + 1,
          isSwapped ? at(n - 2, m - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
