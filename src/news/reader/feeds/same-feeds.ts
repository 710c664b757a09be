import type { Feed } from './subscriptions.repository.js';

type PlacedFeed = Pick<Feed, 'id' | 'url' | 'place' | 'hasMoved'>;

/**
 * Of each feed that its publisher moved to where the user has another: that one's id. Of feeds that were all
 * moved to the same place, the oldest is the one that the others are.
 */
export function sameFeeds(feeds: readonly PlacedFeed[]): ReadonlyMap<number, number> {
  const moved = feeds.filter(({ hasMoved }) => hasMoved).toSorted((a, b) => a.id - b.id);
  const same = new Map<number, number>();
  if (moved.length === 0) {
    return same;
  }
  const placeOf = ({ place, url }: PlacedFeed) => place ?? url;
  const others = feeds.filter(({ hasMoved, place }) => !hasMoved && place !== '');
  const first = new Map([...others, ...moved].toReversed().map((feed) => [placeOf(feed), feed.id]));
  for (const feed of moved) {
    const id = first.get(placeOf(feed));
    if (id !== undefined && id !== feed.id) {
      same.set(feed.id, id);
    }
  }
  return same;
}
