import { createHash } from 'node:crypto';
import { leavesOf } from './bind-places.js';
import type { Leaf } from './bind-places.js';
import { QueryError } from './query-error.js';
import type { Query, UserPlaces } from './query.js';

/**
 * A rule runs when an article arrives, when nobody has read or starred it.
 *
 * @param places for the searches that it uses
 * @throws QueryError
 */
export function assertRuleQuery(query: Query, places: UserPlaces): void {
  for (const leaf of leavesWithin(query, places)) {
    if (leaf.kind === 'is' && leaf.state === 'duplicate') {
      throw new QueryError(
        'is:duplicate is not possible in a rule: copies of a story are recognised after the rules.',
        0,
      );
    }
    if (leaf.kind === 'is' && leaf.state === 'highlighted') {
      throw new QueryError(
        'is:highlighted is not possible in a rule: when an article arrives, nothing in it is highlighted.',
        0,
      );
    }
    if (leaf.kind === 'is' && ['unread', 'read', 'starred'].includes(leaf.state)) {
      throw new QueryError(
        `is:${leaf.state} is not possible in a rule: when an article arrives, it is unread and has no star.`,
        0,
      );
    }
  }
}

/** Of the query and of the searches that it uses, each search once. */
function leavesWithin(query: Query, places: UserPlaces): readonly Leaf[] {
  const seen = new Set<number>();
  const visit = (part: Query): readonly Leaf[] =>
    leavesOf(part).flatMap((leaf) => {
      const search =
        leaf.kind === 'place' && leaf.of === 'search'
          ? places.search.find(({ id }) => id === leaf.id)
          : undefined;
      if (search === undefined || seen.has(search.id)) {
        return [leaf];
      }
      seen.add(search.id);
      return [leaf, ...visit(search.query)];
    });
  return visit(query);
}

/**
 * Equal for queries that mean the same: names of places do not count, their ids do.
 *
 * @param places also the searches that it uses count, as they are
 */
export function queryHash(query: Query, places?: UserPlaces): string {
  const hash = createHash('sha256').update(canonical(query));
  const within = places === undefined ? [] : leavesWithin(query, places);
  const searchIds = within.flatMap((leaf) =>
    leaf.kind === 'place' && leaf.of === 'search' ? leaf.id : [],
  );
  for (const searchId of new Set(searchIds)) {
    const search = places?.search.find(({ id }) => id === searchId);
    hash.update(`\n${searchId} ${canonical(search?.query ?? null)}`);
  }
  return hash.digest('base64url');
}

/** JSON, with the keys in one order, since the database has its own. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) {
      return part;
    }
    const isPlace = 'kind' in part && part.kind === 'place' && 'id' in part && part.id !== null;
    const entries = Object.entries(part).filter(
      ([key]) => key !== 'typed' && !(isPlace && key === 'name'),
    );
    return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
