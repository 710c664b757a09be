import { foldPlaces } from './folded-text.js';
import { Pattern } from './pattern.js';
import { Phrase } from './phrase.js';
import type { Query, TextQuery } from './query.js';

/** Part of a text, in UTF-16 code units: first, and the one after the last. */
export type TextRange = readonly [from: number, to: number];

const MOST_RANGES = 20;

/** Limit of words that are sought. */
const MOST_SOUGHT = 40;

/**
 * Places of the sought words and patterns in a text that is shown, in order and apart.
 *
 * @param part what is sought elsewhere only is left out
 */
export function rangesIn(text: string, query: Query, part: 'title' | 'text' = 'text'): TextRange[] {
  const folded = foldPlaces(text);
  const ranges: TextRange[] = [];
  for (const { find } of soughtIn(query, part).slice(0, MOST_SOUGHT)) {
    if (find.kind === 'phrase') {
      const phrase = new Phrase(find);
      let place = phrase.next(folded, 0);
      for (let n = 0; place !== null && n < MOST_RANGES; n += 1) {
        ranges.push(place.map((at) => folded.typedAt[at] ?? text.length) as [number, number]);
        place = phrase.next(folded, Math.max(place[1], place[0] + 1));
      }
    } else if (find.kind === 'pattern') {
      ranges.push(...Pattern.of(find.source, find.flags).placesIn(text, MOST_RANGES));
    }
  }
  const apart: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = apart.at(-1);
    if (last !== undefined && from <= last[1]) {
      last[1] = Math.max(last[1], to);
    } else if (to > from) {
      apart.push([from, to]);
    }
  }
  return apart.slice(0, MOST_RANGES);
}

function soughtIn(query: Query, part: 'title' | 'text'): readonly TextQuery[] {
  switch (query.kind) {
    case 'and':
    case 'or': {
      return query.of.flatMap((one) => soughtIn(one, part));
    }
    case 'text': {
      return query.in === 'words' || query.in === part ? [query] : [];
    }
    default: {
      return [];
    }
  }
}
