import type { AddressChange } from '../articles/fetch-record.sql.js';
import { feedAddress } from '../feed-address.js';
import type { FetchedFeed } from '../fetch/fetch-feed.service.js';
import type { Source } from '../sources.sql.js';

/** A permanent redirect counts as a move when it was seen this often, over this time. */
const SIGHTINGS_TO_MOVE = 3;
const SECONDS_TO_MOVE = 24 * 3600;

/** Failures in a row at the new address after which the subscribed one is retried. */
const FAILURES_TO_RETURN = 5;

type Address = Pick<
  Source,
  'url' | 'effectiveUrl' | 'movingTo' | 'movingSightings' | 'movingForSeconds' | 'errorCount'
>;

/**
 * Where the source is fetched from next time. A permanent redirect is adopted once it was seen three
 * times over a day, so that a misconfigured publisher has time to repair it. Subscriptions keep the
 * address that their users entered, which is used again when the new one fails.
 */
export function movedAddress(source: Address, fetched: FetchedFeed): AddressChange {
  if (fetched.outcome === 'failed' || fetched.outcome === 'web-page') {
    const isRefused = fetched.outcome === 'failed' && fetched.kind === 'not-allowed';
    return source.effectiveUrl !== null &&
      (isRefused || source.errorCount + 1 >= FAILURES_TO_RETURN)
      ? { is: 'moved', to: null, hostKey: feedAddress(source.url).host }
      : { is: 'none' };
  }
  const to = trustedMove(fetched.permanentRedirectTo, source.effectiveUrl ?? source.url);
  if (to === null) {
    return source.movingTo === null ? { is: 'none' } : { is: 'announced', to: null, sightings: 0 };
  }
  if (to !== source.movingTo) {
    return { is: 'announced', to, sightings: 1 };
  }
  const sightings = source.movingSightings + 1;
  if (sightings < SIGHTINGS_TO_MOVE || (source.movingForSeconds ?? 0) < SECONDS_TO_MOVE) {
    return { is: 'announced', to, sightings };
  }
  return { is: 'moved', to: to === source.url ? null : to, hostKey: feedAddress(to).host };
}

/** @returns the message for history and log; null if nothing changed */
export function describeMove(change: AddressChange): string | null {
  switch (change.is) {
    case 'none':
      return null;
    case 'announced':
      return change.to === null
        ? 'the permanent redirect is gone'
        : `a permanent redirect was seen ${change.sightings} times`;
    case 'moved':
      return change.to === null
        ? `fetched from the subscribed address again, at ${change.hostKey}`
        : `moved permanently, now fetched from ${change.hostKey}`;
  }
}

/** A redirect from https to http is never permanent: an attacker on the network could forge the next. */
export function trustedMove(to: string | null, asked: string): string | null {
  if (to === null || to === asked) {
    return null;
  }
  return asked.startsWith('https:') && !to.startsWith('https:') ? null : to;
}
