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
  'highlighted',
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

/** The known field that an unknown one may be meant for: other order of letters, or one more or less. */
export function fieldLike(name: string): Field | undefined {
  const given = name.toLowerCase();
  const like = [...BY_NAME.keys()].find(
    (known) =>
      given.length > 3 && known.startsWith(given.charAt(0)) && lettersApart(given, known) <= 1,
  );
  return like === undefined ? undefined : BY_NAME.get(like);
}

function lettersApart(a: string, b: string): number {
  const rest = [...b];
  const more = [...a].filter((letter) => {
    const at = rest.indexOf(letter);
    rest.splice(at, at === -1 ? 0 : 1);
    return at === -1;
  });
  return Math.max(more.length, rest.length);
}
