import { Injectable } from '@nestjs/common';
import { FeedAccessBox, NO_ACCESS, type FeedAccess } from '../access/feed-access.service.js';
import { feedAddress, type FeedAddress } from '../feed-address.js';
import type { NamedFeed, PageFeeds } from '../fetch/discover-feed.js';
import type { FetchedFeed } from '../fetch/fetch-feed.service.js';
import { FeedUnreadable } from '../sources.errors.js';

interface Discovered<Found> {
  readonly found: Found;
  readonly address: FeedAddress;
  /** All feeds that the web page names; empty for the address of a feed. */
  readonly namedFeeds: readonly NamedFeed[];
}

/** An address without a readable feed. */
export class Miss {
  constructor(
    readonly reason: string,
    /** The web page at the address. */
    readonly page: PageFeeds | null = null,
    readonly kind: (FetchedFeed & { outcome: 'failed' })['kind'] | null = null,
  ) {}

  static of(fetched: FetchedFeed): Miss {
    if (fetched.outcome !== 'failed') {
      return new Miss(NO_FEED_NAMED, fetched.outcome === 'web-page' ? fetched.page : null);
    }
    const { message, retryAfterSeconds, kind } = fetched;
    return new Miss(message, null, retryAfterSeconds === null ? kind : 'rate-limited');
  }
}

const ENDS_GUESSING = new Set<Miss['kind']>(['rate-limited', 'network', 'timeout']);

/** Feeds of a web page that are tried. */
const MAX_CANDIDATES = 3;
const MAX_REFRESHES = 3;
/** Time limit for trying usual paths. */
const GUESSING_MS = 15_000;

const NO_FEED_NAMED = 'The address leads to a web page that names no feed.';

/** Finds the feed of an address that a user entered, which may be a web page's. */
@Injectable()
export class FeedDiscovery {
  constructor(private readonly accessBox: FeedAccessBox) {}

  /**
   * The feed at the address or, if that is a web page, the first readable feed that it names. If it
   * names none: one that it links to, or one in a usual place.
   *
   * @param access is sent to the origin of the address only
   * @param read fetches one address, for a subscription or a preview
   * @throws InvalidFeedAddress when the web page names an invalid one
   * @throws FeedUnreadable
   */
  async find<Found>(
    given: FeedAddress,
    access: FeedAccess,
    read: (address: FeedAddress) => Promise<Found | Miss>,
  ): Promise<Discovered<Found>> {
    const { origin } = new URL(given.href);
    const at = async (address: FeedAddress, namedFeeds: readonly NamedFeed[] = []) => {
      const isOwn = new URL(address.href).origin === origin;
      const found = await read(isOwn ? this.accessBox.seal(address, access) : address);
      return found instanceof Miss ? found : { found, address, namedFeeds };
    };

    const first = await at(given);
    if (!(first instanceof Miss)) {
      return first;
    }
    if (first.kind === 'network' && given.otherwise !== undefined) {
      return this.find(feedAddress(given.otherwise), NO_ACCESS, read);
    }
    let { page } = first;
    for (let hops = 0; page?.refreshTo && hops < MAX_REFRESHES; hops += 1) {
      const next = await at(feedAddress(page.refreshTo));
      if (!(next instanceof Miss)) {
        return next;
      }
      page = next.page ?? { ...page, refreshTo: null };
    }
    if (page === null) {
      throw new FeedUnreadable(first.reason);
    }

    let { reason } = first;
    const { namedFeeds, guesses } = page;
    const guessUntil = performance.now() + GUESSING_MS;
    for (const url of [...namedFeeds.slice(0, MAX_CANDIDATES).map((one) => one.url), ...guesses]) {
      const isGuess = guesses.includes(url);
      const next = await at(feedAddress(url), isGuess ? [] : namedFeeds);
      if (!(next instanceof Miss)) {
        return next;
      }
      reason = guesses.length === 0 ? next.reason : reason;
      if (isGuess && (ENDS_GUESSING.has(next.kind) || performance.now() > guessUntil)) {
        break;
      }
    }
    throw new FeedUnreadable(reason);
  }
}
