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

/** Ids of the saved searches that a query names, each once. */
export function searchesIn(query: Query): readonly number[] {
  const ids = leavesOf(query).flatMap((leaf) =>
    leaf.kind === 'place' && leaf.of === 'search' && leaf.id !== null ? leaf.id : [],
  );
  return [...new Set(ids)];
}

/**
 * Replaces the names of places by their ids.
 *
 * @param searchId of the saved search that the query will be, which it must not use
 * @throws QueryError for a name that there is not, or more than once, and for a search that uses itself
 */
export function bindPlaces(query: Query, places: UserPlaces, searchId?: number): Query {
  const usesIt = usersOf(searchId, places);
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
    if (place.of === 'search' && usesIt(place.id)) {
      throw new QueryError(`The search "${place.name}" uses itself.`, at);
    }
    return place;
  });
}

const keyOf = (name: string) => foldExact(name).trim();

/**
 * Whether a search uses another one, or itself, by however many searches between them. Each is looked at once, also
 * if it is named a thousand times.
 */
function usersOf(sought: number | undefined, places: UserPlaces): (id: number) => boolean {
  const known = new Map<number, boolean>();
  const within = new Set<number>();
  const uses = (id: number): boolean => {
    if (id === sought || within.has(id)) {
      return true;
    }
    let answer = known.get(id);
    if (answer === undefined) {
      within.add(id);
      answer = usedSearches(id, places).some(uses);
      within.delete(id);
      known.set(id, answer);
    }
    return answer;
  };
  return uses;
}

const usedSearches = (id: number, places: UserPlaces): readonly number[] =>
  searchesIn(places.search.find((search) => search.id === id)?.query ?? { kind: 'everything' });

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
  const usesItself = usersOf(undefined, places);
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
        if (usesItself(leaf.id)) {
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
