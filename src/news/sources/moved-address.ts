import { hostKey } from './feed-address.js';
import type { FetchedFeed } from './fetch/fetch-feed.js';
import type { AddressNews } from './articles/articles.repository.js';
import type { Source } from './sources.repository.js';

/** A publisher that means it says so again; a misconfigured one is mended by then. */
const SIGHTINGS_TO_MOVE = 3;
const SECONDS_TO_MOVE = 24 * 3600;

/** After so many failures at the new address in a row, the old one is asked again. */
const FAILURES_TO_RETURN = 5;

type Address = Pick<
  Source,
  'url' | 'effectiveUrl' | 'movingTo' | 'movingSightings' | 'movingForSeconds' | 'errorCount'
>;

/**
 * What a fetch says about where to fetch next time. A permanent redirect is followed for good once
 * it has been seen three times over a day. The subscription keeps the address its user entered,
 * and that is where we return to when the new one fails.
 */
export function movedAddress(source: Address, fetched: FetchedFeed): AddressNews {
  if (fetched.outcome === 'failed' || fetched.outcome === 'web-page') {
    return source.effectiveUrl !== null && source.errorCount + 1 >= FAILURES_TO_RETURN
      ? { is: 'moved', to: null, hostKey: hostKey(source.url) }
      : { is: 'as-it-was' };
  }
  const asked = source.effectiveUrl ?? source.url;
  const to = believable(fetched.permanentRedirectTo, asked);
  if (to === null) {
    return source.movingTo === null
      ? { is: 'as-it-was' }
      : { is: 'announced', to: null, sightings: 0 };
  }
  if (to !== source.movingTo) {
    return { is: 'announced', to, sightings: 1 };
  }
  const sightings = source.movingSightings + 1;
  if (sightings < SIGHTINGS_TO_MOVE || (source.movingForSeconds ?? 0) < SECONDS_TO_MOVE) {
    return { is: 'announced', to, sightings };
  }
  return { is: 'moved', to: to === source.url ? null : to, hostKey: hostKey(to) };
}

/** Whoever sits between us and a server without TLS could send us anywhere, for good. */
function believable(to: string | null, asked: string): string | null {
  if (to === null || to === asked) {
    return null;
  }
  return asked.startsWith('https:') && !to.startsWith('https:') ? null : to;
}
