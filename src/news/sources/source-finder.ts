import { Injectable } from '@nestjs/common';
import { hostKey, normaliseFeedAddress, urlKey } from './feed-address.js';
import { FeedFetcher } from './fetch/fetch-feed.js';
import { FeedUnreadable } from '../news.errors.js';
import { SourceRefresher } from './source-refresher.js';
import { ScheduleRepository } from './schedule/schedule.repository.js';
import { SourcesRepository } from './sources.repository.js';

/** A source that has been read at least once, and the address under which it was found. */
export interface FoundSource {
  readonly sourceId: number;
  readonly url: string;
}

/** A web page that names many feeds is taken at its first few words. */
const MAX_CANDIDATES = 3;

/** From an address somebody entered to a source that can be subscribed to. */
@Injectable()
export class SourceFinder {
  constructor(
    private readonly sources: SourcesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly fetcher: FeedFetcher,
    private readonly refresher: SourceRefresher,
  ) {}

  /**
   * Reads the feed at the address or, when that is a web page, the first readable one of the feeds
   * it names. A source is created only for what could be read.
   *
   * @throws InvalidFeedAddress
   * @throws FeedUnreadable
   */
  async find(url: string): Promise<FoundSource> {
    const found = await this.#read(url);
    if ('sourceId' in found) {
      return found;
    }
    let reason = found.reason;
    for (const candidate of found.candidates.slice(0, MAX_CANDIDATES)) {
      const named = await this.#read(candidate);
      if ('sourceId' in named) {
        return named;
      }
      reason = named.reason;
    }
    throw new FeedUnreadable(reason);
  }

  async #read(
    url: string,
  ): Promise<FoundSource | { candidates: readonly string[]; reason: string }> {
    const address = normaliseFeedAddress(url);
    const known = await this.sources.findByKey(urlKey(address));
    if (known !== null && known.bodyHash !== null) {
      const refreshed = await this.refresher.refreshNow(known.id);
      return refreshed.outcome === 'failed'
        ? { candidates: [], reason: refreshed.message }
        : { sourceId: known.id, url };
    }

    const fetched = await this.fetcher.fetch({
      url: address,
      etag: null,
      lastModified: null,
      bodyHash: null,
    });
    if (fetched.outcome === 'web-page') {
      return {
        candidates: fetched.feedAddresses,
        reason: 'The address leads to a web page that names no feed.',
      };
    }
    if (fetched.outcome !== 'feed') {
      return {
        candidates: [],
        reason: fetched.outcome === 'failed' ? fetched.message : 'The server sent no document.',
      };
    }

    const sourceId = await this.sources.create({
      url: address,
      urlKey: urlKey(address),
      hostKey: hostKey(address),
    });
    const lease = await this.schedule.claim(sourceId);
    const source = await this.sources.find(sourceId);
    if (lease !== null && source !== null) {
      await this.refresher.record(lease, source, fetched);
    }
    return { sourceId, url };
  }
}
