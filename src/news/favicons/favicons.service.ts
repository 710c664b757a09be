import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SourcesRepository } from '../sources/sources.repository.js';
import type { Source } from '../sources/sources.sql.js';
import { IconFinder } from './find-icon.js';
import { IconsRepository } from './icons.repository.js';
import type { Icon } from './icons.sql.js';

const SEARCH_AGAIN_SECONDS = 7 * 86_400;

/**
 * Concurrent searches. DNS lookups run in the small thread pool that password hashing needs too; a
 * name server that does not answer must not occupy all of it.
 */
const CONCURRENT_SEARCHES = 2;

/** Icons of feeds: searched for in the background of fetches, shown by address. */
@Injectable()
export class FaviconsService implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Favicons');
  readonly #searches = new Map<number, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #lanes: Promise<void>[] = Array.from({ length: CONCURRENT_SEARCHES }, () =>
    Promise.resolve(),
  );
  #nextLane = 0;

  constructor(
    private readonly clock: Clock,
    private readonly finder: IconFinder,
    private readonly readers: ReadersRepository,
    private readonly sources: SourcesRepository,
    private readonly icons: IconsRepository,
  ) {}

  /** Starts a search for the source's icon, at most once a week, and does not wait for it. */
  searchFor(
    { id: sourceId, iconCheckedSeconds }: Pick<Source, 'id' | 'iconCheckedSeconds'>,
    iconUrl: string | null,
  ): void {
    const isRecent = this.#isRecent(iconCheckedSeconds);
    if (isRecent || this.#searches.has(sourceId) || this.#stop.signal.aborted) {
      return;
    }
    const search = this.#enqueue(() => this.#search(sourceId, iconUrl))
      .catch((error: Error) => {
        if (!this.#stop.signal.aborted) {
          this.#logger.warn(`source ${sourceId}: ${error.message}`);
        }
      })
      .finally(() => this.#searches.delete(sourceId));
    this.#searches.set(sourceId, search);
  }

  /**
   * The icon of the user's feed whose address has this MD5, after a running search for it. Feeds
   * without an icon and unknown hashes get a default one, since clients show any response.
   */
  async find(userId: string, addressHash: string): Promise<Icon> {
    const readerId = await this.readers.idOf(userId);
    if (readerId === null) {
      return DEFAULT_ICON;
    }
    const sourceId = await this.icons.sourceOf(readerId, addressHash);
    await (sourceId === null ? undefined : this.#searches.get(sourceId));
    return (await this.icons.find(readerId, addressHash)) ?? DEFAULT_ICON;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#searches.values());
  }

  /** Runs the search after those in the same lane. */
  #enqueue(search: () => Promise<void>): Promise<void> {
    const lane = this.#nextLane;
    this.#nextLane = (lane + 1) % CONCURRENT_SEARCHES;
    const ended = (this.#lanes[lane] ?? Promise.resolve()).then(search);
    this.#lanes[lane] = ended.catch(() => {});
    return ended;
  }

  async #search(sourceId: number, iconUrl: string | null): Promise<void> {
    if (this.#stop.signal.aborted) {
      return;
    }
    const source = await this.sources.find(sourceId);
    if (source === null || this.#isRecent(source.iconCheckedSeconds)) {
      return;
    }
    const { signal } = this.#stop;
    const { link: siteUrl, url: feedUrl } = source;
    const icon = await this.finder.find({ iconUrl, siteUrl, feedUrl, signal });
    await this.icons.save(sourceId, icon);
  }

  #isRecent(checkedSeconds: number | null): boolean {
    return (checkedSeconds ?? 0) + SEARCH_AGAIN_SECONDS > this.clock.nowSeconds();
  }
}

/** The common feed symbol. SVG, which is safe because it is always served under a sandbox policy. */
const DEFAULT_ICON: Icon = {
  mime: 'image/svg+xml',
  bytes: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
      '<rect width="16" height="16" rx="3" fill="#e8832a"/><circle cx="4.5" cy="11.5" r="1.5" fill="#fff"/>' +
      '<path d="M3 7.5A5.5 5.5 0 0 1 8.5 13M3 3.5A9.5 9.5 0 0 1 12.5 13" fill="none" stroke="#fff" stroke-width="1.8"/>' +
      '</svg>',
  ),
};
