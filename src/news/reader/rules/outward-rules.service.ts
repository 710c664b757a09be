import { Injectable } from '@nestjs/common';
import { Turns } from '../../../common/turns.js';
import { leavesOf, replaceLeaves } from '../../query/bind-places.js';
import type { PlaceQuery, Query, UserPlaces } from '../../query/query.js';
import type { RuleScope } from '../../tables/rule.entity.js';
import { OutwardConditionsOffer, type OutwardConditions } from '../delivery/outward-conditions.js';
import { UserPlacesRepository } from '../items/user-places.repository.js';
import { RulesRepository } from './rules.repository.js';

/** What rules tell, for the arrival of articles. */
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
    const turns = new Turns();
    for (const [readerId, rules] of await this.rules.telling(readerIds)) {
      await turns.take();
      const queries = rules.map(({ query }) => query ?? NOTHING);
      const usesSearch = queries.flatMap(leavesOf).some(isSearch);
      const searches = usesSearch ? (await this.places.placesOf(readerId)).search : [];
      conditions.set(
        readerId,
        rules.map(({ scope }, n) => within(scope, writtenOut(queries[n] ?? NOTHING, searches))),
      );
    }
    return conditions;
  }
}

const EVERYTHING: Query = { kind: 'everything' };
const NOTHING: Query = { kind: 'not', of: EVERYTHING };

const isSearch = (query: Query) => query.kind === 'place' && query.of === 'search';

/** With the searches that it names written out; their cycles are refused. */
function writtenOut(query: Query, searches: UserPlaces['search']): Query {
  return replaceLeaves(query, (leaf) => {
    if (leaf.kind !== 'place' || leaf.of !== 'search') {
      return leaf;
    }
    const search = searches.find(({ id }) => id === leaf.id);
    return search === undefined ? NOTHING : writtenOut(search.query, searches);
  });
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
