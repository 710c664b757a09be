import { Injectable } from '@nestjs/common';
import { leavesOf } from '../../query/bind-places.js';
import type { PlaceQuery, Query, UserPlaces } from '../../query/query.js';
import type { RuleScope } from '../../tables/rule.entity.js';
import { OutwardConditionsOffer, type OutwardConditions } from '../delivery/outward-conditions.js';
import { UserPlacesRepository } from '../items/user-places.repository.js';
import { RulesRepository } from './rules.repository.js';

/** What rules tell, for the arrival of articles, before which the reader's own state is unknown. */
@Injectable()
export class OutwardRules implements OutwardConditions {
  constructor(
    private readonly rules: RulesRepository,
    private readonly places: UserPlacesRepository,
    offer: OutwardConditionsOffer,
  ) {
    offer.fill(this);
  }

  async of(readerIds: readonly number[]): Promise<Map<number, Query[]>> {
    const conditions = new Map<number, Query[]>();
    for (const [readerId, rules] of await this.rules.telling(readerIds)) {
      const queries = rules.map(({ query }) => query ?? NOTHING);
      const usesSearch = queries.flatMap(leavesOf).some(isSearch);
      const searches = usesSearch ? (await this.places.placesOf(readerId)).search : [];
      conditions.set(
        readerId,
        rules.map(({ scope }, n) => within(scope, widened(queries[n] ?? NOTHING, searches))),
      );
    }
    return conditions;
  }
}

const EVERYTHING: Query = { kind: 'everything' };
const NOTHING: Query = { kind: 'not', of: EVERYTHING };

const isSearch = (query: Query) => query.kind === 'place' && query.of === 'search';

/** At least what the query matches, whatever labels and marks an article may have; with searches written out. */
function widened(query: Query, searches: UserPlaces['search'], isPositive = true): Query {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { ...query, of: query.of.map((part) => widened(part, searches, isPositive)) };
    case 'not':
      return { kind: 'not', of: widened(query.of, searches, !isPositive) };
    case 'is':
    case 'ask':
      return isPositive ? EVERYTHING : NOTHING;
    case 'has':
      return query.what === 'label' && isPositive
        ? EVERYTHING
        : query.what === 'label'
          ? NOTHING
          : query;
    case 'place':
      if (query.of === 'search') {
        const search = searches.find(({ id }) => id === query.id);
        return search === undefined ? NOTHING : widened(search.query, searches, isPositive);
      }
      return query.of === 'label' ? (isPositive ? EVERYTHING : NOTHING) : query;
    default:
      return query;
  }
}

/** The condition with the scope. */
function within(scope: RuleScope, query: Query): Query {
  const any = (feedIds: readonly number[], folderIds: readonly number[]): Query => ({
    kind: 'or',
    of: [...feedIds.map((id) => place('feed', id)), ...folderIds.map((id) => place('folder', id))],
  });
  return {
    kind: 'and',
    of: [
      ...(scope.everything ? [] : [any(scope.feedIds, scope.folderIds)]),
      { kind: 'not', of: any(scope.exceptFeedIds, scope.exceptFolderIds) },
      query,
    ],
  };
}

const place = (of: PlaceQuery['of'], id: number): PlaceQuery => ({
  kind: 'place',
  of,
  id,
  name: '',
});
