import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock } from '../../../common/clock.js';
import { FairTurns } from '../../../common/fair-turns.js';
import type { ParsedFeed } from '../../feed-parser/parsed-feed.js';
import { SourceRefresher } from '../refreshing/source-refresher.service.js';
import type { Source } from '../sources.sql.js';
import { HostRests, IconFinder } from './find-icon.service.js';
import { IconsRepository, type Icon } from './icons.repository.js';

/**
 * Interval at which a source checks the addresses of its icon; caching headers say when to request them.
 */
const LOOK_AGAIN_SECONDS = 86_400;

/** A client waits this long for a search. */
const PATIENCE_MS = 10_000;

/**
 * Most searches wait for a slot; DNS lookups run in the threads that hash passwords. One at a time per
 * website, so that its feeds share the first result.
 */
const SEARCHES = { atOnce: 8, atOnceOfOwner: 1, waiting: Infinity, waitingOfOwner: Infinity };

/** Icons of feeds: searched for in the background of fetches, shown by address. */
@Injectable()
export class FaviconsService implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Favicons');
  readonly #searches = new Map<number, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #turns = new FairTurns(SEARCHES, () => new HostRests());

  constructor(
    private readonly clock: Clock,
    private readonly finder: IconFinder,
    private readonly icons: IconsRepository,
    refresher: SourceRefresher,
  ) {
    refresher.onFetched((source, fetched) =>
      this.#searchFor(source, fetched.outcome === 'feed' ? fetched.feed : null),
    );
  }

  /**
   * Starts a search for the source's icon, at most once a day, and does not wait for it.
   *
   * @param feed null: there is no document, which could name an icon of its own. A former one is kept
   */
  #searchFor(
    source: Pick<Source, 'id' | 'url' | 'link' | 'iconCheckedSeconds'>,
    feed: Pick<ParsedFeed, 'iconUrl' | 'link'> | null,
  ): void {
    const { id, iconCheckedSeconds: checked } = source;
    const isTime = feed !== null && (checked ?? 0) + LOOK_AGAIN_SECONDS <= this.clock.nowSeconds();
    if (!(isTime || checked === null) || this.#searches.has(id) || this.#stop.signal.aborted) {
      return;
    }
    const page = feed?.link ?? source.link ?? `${new URL(source.url).origin}/`;
    const { origin, pathname } = new URL(page);
    // Folders of users are websites of their own.
    const site = `website ${origin}${/^\/~[^/]+/.exec(pathname)?.[0] ?? ''}`;
    const search = this.#turns
      .run(site, async () => {
        const hasOwn = feed?.iconUrl && (await this.#lookAt(feed.iconUrl, id));
        await (hasOwn || this.#lookAt(site, id, page));
      })
      .catch((error: Error) => {
        if (!this.#stop.signal.aborted && !(error instanceof HostRests)) {
          this.#logger.warn(`source ${id}: ${error.message}`);
        }
      })
      .finally(() => this.#searches.delete(id));
    this.#searches.set(id, search);
  }

  /**
   * The icon of the reader's feed whose address has this MD5, after a running search for it. Feeds
   * without an icon and unknown hashes get a default one, since clients show any response.
   */
  async find(readerId: number, addressHash: string): Promise<Icon> {
    let found = await this.icons.find(readerId, addressHash);
    const search = found && this.#searches.get(found.sourceId);
    if (search) {
      await Promise.race([search, delay(PATIENCE_MS, undefined, { ref: false })]);
      found = await this.icons.find(readerId, addressHash);
    }
    return found?.bytes ? found : DEFAULT_ICON;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#searches.values());
  }

  /**
   * Assigns the icon of an address or a website to the source, and requests it if due.
   *
   * @param page of the website
   * @returns false when there is none
   * @throws HostRests
   */
  async #lookAt(place: string, sourceId: number, page?: string): Promise<boolean> {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const looked = await this.icons.show(place, sourceId);
    if (looked?.isDue) {
      const icon = await (page ? this.finder.ofSite(page, signal) : this.finder.at(place, signal));
      return await this.icons.save(place, icon, sourceId);
    }
    // Unknown while another process asks.
    return looked?.hasIcon ?? true;
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
