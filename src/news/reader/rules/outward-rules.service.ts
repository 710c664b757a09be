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
      const room = { parts: MOST_PARTS };
      conditions.set(
        readerId,
        rules.map(({ scope }, n) => {
          const query = writtenOut(queries[n] ?? NOTHING, searches, room);
          return within(scope, query ?? EVERYTHING);
        }),
      );
    }
    return conditions;
  }
}

/**
 * Parts of all searches that the conditions of a reader name, each counted where it is named: searches of searches
 * would fill the memory. Conditions beyond count as matching: that costs a delivery, no notice.
 */
const MOST_PARTS = 10_000;

const EVERYTHING: Query = { kind: 'everything' };
const NOTHING: Query = { kind: 'not', of: EVERYTHING };

const isSearch = (query: Query) => query.kind === 'place' && query.of === 'search';

/**
 * With the searches that it names written out; their cycles are refused.
 *
 * @param room becomes less by their parts
 * @returns null if there is no room for them
 */
function writtenOut(
  query: Query,
  searches: UserPlaces['search'],
  room: { parts: number },
): Query | null {
  let isWhole = true;
  const inFull = (part: Query): Query =>
    replaceLeaves(part, (leaf) => {
      if (leaf.kind !== 'place' || leaf.of !== 'search') {
        return leaf;
      }
      const search = searches.find(({ id }) => id === leaf.id);
      const parts = search !== undefined && isWhole ? leavesOf(search.query).length : 0;
      isWhole &&= parts <= room.parts;
      if (search === undefined || !isWhole) {
        return NOTHING;
      }
      room.parts -= parts;
      return inFull(search.query);
    });
  const whole = inFull(query);
  return isWhole ? whole : null;
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
