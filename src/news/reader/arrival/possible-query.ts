import type { Query } from '../../query/query.js';

/** A reader's feed of the source whose articles arrive. */
export interface ArrivalPlace {
  readonly subscriptionId: number;
  readonly folderId: number | null;
}

const EVERYTHING: Query = { kind: 'everything' };
const NOTHING: Query = { kind: 'not', of: EVERYTHING };

/**
 * A query that asks an article alone, and matches whatever the given one may match for the reader: what
 * depends on more, such as states, labels, dates in a time zone and answers of apps, is taken to be so.
 * Equal for most readers, so that it is decided once for all of them.
 *
 * @param maybe what an unknown condition is taken to be
 */
export function possibleQuery(query: Query, at: ArrivalPlace, maybe = true): Query {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const [neutral, final] =
        query.kind === 'and' ? [isEverything, NOTHING] : [isNothing, EVERYTHING];
      const isFinal = query.kind === 'and' ? isNothing : isEverything;
      const of = query.of
        .map((part) => possibleQuery(part, at, maybe))
        .filter((part) => !neutral(part));
      const [only] = of;
      if (only === undefined) {
        return query.kind === 'and' ? EVERYTHING : NOTHING;
      }
      return of.some(isFinal) ? final : of.length === 1 ? only : { kind: query.kind, of };
    }
    case 'not': {
      const of = possibleQuery(query.of, at, !maybe);
      return isNothing(of) ? EVERYTHING : { kind: 'not', of };
    }
    case 'place': {
      const place = { feed: at.subscriptionId, folder: at.folderId }[query.of as 'feed' | 'folder'];
      return place === undefined ? known(maybe) : known(place === query.id);
    }
    case 'is':
    case 'date':
    case 'age':
    case 'ask': {
      return known(maybe);
    }
    case 'has': {
      return query.what === 'label' ? known(maybe) : query;
    }
    default: {
      return query;
    }
  }
}

const known = (isSo: boolean) => (isSo ? EVERYTHING : NOTHING);

const isEverything = ({ kind }: Query) => kind === 'everything';

export const isNothing = (query: Query) => query.kind === 'not' && isEverything(query.of);
