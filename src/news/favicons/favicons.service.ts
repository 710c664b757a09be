import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { IconFinder } from './find-icon.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SourcesRepository, type Icon } from '../sources/sources.repository.js';

const LOOK_AGAIN_SECONDS = 7 * 86_400;

/**
 * Searches at a time. Names are looked up in the few threads that checking passwords needs too, and
 * a name server that does not answer must not take all of them.
 */
const SEARCHES_AT_ONCE = 2;

/** The pictures of feeds: looked for beside the fetches, kept once each, shown by address. */
@Injectable()
export class FaviconsService implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Favicons');
  readonly #searches = new Map<number, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #turns: Promise<void>[] = Array.from({ length: SEARCHES_AT_ONCE }, () =>
    Promise.resolve(),
  );
  #nextTurn = 0;

  constructor(
    private readonly clock: Clock,
    private readonly finder: IconFinder,
    private readonly readers: ReadersRepository,
    private readonly sources: SourcesRepository,
  ) {}

  /** Starts looking for a source's picture, unless that was done lately. Does not wait for it. */
  lookFor(sourceId: number, iconUrl: string | null): void {
    if (this.#searches.has(sourceId) || this.#stop.signal.aborted) {
      return;
    }
    const search = this.#inTurn(() => this.#search(sourceId, iconUrl))
      .catch((error: Error) => {
        if (!this.#stop.signal.aborted) {
          this.#logger.warn(`source ${sourceId}: ${error.message}`);
        }
      })
      .finally(() => this.#searches.delete(sourceId));
    this.#searches.set(sourceId, search);
  }

  /**
   * The picture of the user's feed whose address has this MD5; a general one for feeds without a
   * picture and for unknown hashes, since clients show whatever comes.
   */
  async find(userId: string, addressHash: string): Promise<Icon> {
    const readerId = await this.readers.idOf(userId);
    if (readerId === null) {
      return DEFAULT_ICON;
    }
    const sourceId = await this.sources.idByAddressHash(readerId, addressHash);
    await (sourceId === null ? undefined : this.#searches.get(sourceId));
    return (await this.sources.iconByAddressHash(readerId, addressHash)) ?? DEFAULT_ICON;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#searches.values());
  }

  /** Behind one of the searches that began before, so that no more run at a time. */
  #inTurn(search: () => Promise<void>): Promise<void> {
    const turn = this.#nextTurn;
    this.#nextTurn = (turn + 1) % SEARCHES_AT_ONCE;
    const ended = (this.#turns[turn] ?? Promise.resolve()).then(search);
    this.#turns[turn] = ended.catch(() => {});
    return ended;
  }

  async #search(sourceId: number, iconUrl: string | null): Promise<void> {
    if (this.#stop.signal.aborted) {
      return;
    }
    const source = await this.sources.find(sourceId);
    const checked = source?.iconCheckedSeconds ?? 0;
    if (source === null || checked + LOOK_AGAIN_SECONDS > this.clock.nowSeconds()) {
      return;
    }
    const { signal } = this.#stop;
    const icon = await this.finder.find({
      iconUrl,
      siteUrl: source.link,
      feedUrl: source.url,
      signal,
    });
    await this.sources.saveIcon(sourceId, icon);
  }
}

/** The common sign for feeds, drawn small. Scalable, but only ever served under a sandbox. */
const DEFAULT_ICON: Icon = {
  mime: 'image/svg+xml',
  bytes: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
      '<rect width="16" height="16" rx="3" fill="#e8832a"/><circle cx="4.5" cy="11.5" r="1.5" fill="#fff"/>' +
      '<path d="M3 7.5A5.5 5.5 0 0 1 8.5 13M3 3.5A9.5 9.5 0 0 1 12.5 13" fill="none" stroke="#fff" stroke-width="1.8"/>' +
      '</svg>',
  ),
};
