import { foldExact } from './folded-text.js';
import { QueryError } from './query-error.js';
import type { Place, PlaceQuery, Query, UserPlaces } from './query.js';

/** A copy in which each part without parts of its own may be another. */
export function replaceLeaves(query: Query, replaced: (leaf: Leaf) => Query): Query {
  switch (query.kind) {
    case 'and':
    case 'or': {
      return { kind: query.kind, of: query.of.map((part) => replaceLeaves(part, replaced)) };
    }
    case 'not': {
      return { kind: 'not', of: replaceLeaves(query.of, replaced) };
    }
    default: {
      return replaced(query);
    }
  }
}

export type Leaf = Exclude<Query, { kind: 'and' | 'or' | 'not' }>;

/** All parts without parts of their own. */
export function leavesOf(query: Query): readonly Leaf[] {
  const leaves: Leaf[] = [];
  replaceLeaves(query, (leaf) => {
    leaves.push(leaf);
    return leaf;
  });
  return leaves;
}

/**
 * Replaces the names of places by their ids.
 *
 * @param searchId of the saved search that the query will be, which it must not use
 * @throws QueryError for a name that there is not, or more than once, and for a search that uses itself
 */
export function bindPlaces(query: Query, places: UserPlaces, searchId?: number): Query {
  const byName = new Map<PlaceQuery['of'], Map<string, Place[]>>();
  const named = (of: PlaceQuery['of'], name: string): readonly Place[] => {
    let known = byName.get(of);
    if (known === undefined) {
      known = Map.groupBy<string, Place>(places[of], (place) => keyOf(place.name));
      byName.set(of, known);
    }
    const alike = known.get(keyOf(name)) ?? [];
    const same = alike.filter((place) => place.name === name);
    return same.length > 0 ? same : alike;
  };
  return replaceLeaves(query, (leaf) => {
    if (leaf.kind !== 'place' || leaf.typed === undefined) {
      return leaf;
    }
    const { at, orFeed } = leaf.typed;
    const found = (orFeed ? (['folder', 'feed'] as const) : [leaf.of]).flatMap((of) =>
      (leaf.id === null ? named(of, leaf.name) : places[of].filter(({ id }) => id === leaf.id)).map(
        ({ id, name }) => ({ kind: 'place' as const, of, id, name }),
      ),
    );
    const [place, other] = found;
    if (place === undefined) {
      throw new QueryError(`There is no ${leaf.of} "${leaf.name}".`, at);
    }
    if (other !== undefined) {
      const ways = found.map(({ of, id }) => `${of}:#${id}`).join(', ');
      throw new QueryError(`"${leaf.name}" is more than one. Write one of ${ways}.`, at);
    }
    if (place.of === 'search' && usesSearch(place.id, searchId, places)) {
      throw new QueryError(`The search "${place.name}" uses itself.`, at);
    }
    return place;
  });
}

const keyOf = (name: string) => foldExact(name).trim();

/** Whether a search uses another, or itself, by however many searches between them. */
function usesSearch(from: number, sought: number | undefined, places: UserPlaces): boolean {
  const seen = new Set<number>();
  const visit = (id: number, within: ReadonlySet<number>): boolean => {
    if (id === sought || within.has(id)) {
      return true;
    }
    if (seen.has(id)) {
      return false;
    }
    seen.add(id);
    return usedSearches(id, places).some((used) => visit(used, new Set([...within, id])));
  };
  return visit(from, new Set());
}

const usedSearches = (id: number, places: UserPlaces): readonly number[] =>
  leavesOf(
    places.search.find((search) => search.id === id)?.query ?? { kind: 'everything' },
  ).flatMap((leaf) =>
    leaf.kind === 'place' && leaf.of === 'search' && leaf.id !== null ? [leaf.id] : [],
  );

/**
 * Places that are gone, also of the searches that the query uses; of a search that uses itself this one. Such a
 * query matches nothing.
 */
export function missingPlaces(query: Query, places: UserPlaces): PlaceQuery[] {
  if (!leavesOf(query).some(({ kind }) => kind === 'place')) {
    return [];
  }
  const ids = Object.fromEntries(
    (['feed', 'folder', 'label', 'search'] as const).map((of) => [
      of,
      new Set(places[of].map(({ id }) => id)),
    ]),
  );
  const seen = new Set<number>();
  const missing: PlaceQuery[] = [];
  const visit = (part: Query) => {
    for (const leaf of leavesOf(part)) {
      if (leaf.kind !== 'place' || (leaf.id === null && leaf.typed === undefined)) {
        continue;
      }
      if (leaf.id === null || !ids[leaf.of]?.has(leaf.id)) {
        missing.push(leaf);
      } else if (leaf.of === 'search' && !seen.has(leaf.id)) {
        seen.add(leaf.id);
        if (usesSearch(leaf.id, undefined, places)) {
          missing.push(leaf);
        } else {
          visit(places.search.find(({ id }) => id === leaf.id)?.query ?? { kind: 'everything' });
        }
      }
    }
  };
  visit(query);
  return missing;
}
