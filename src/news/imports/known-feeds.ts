import type { ImportedFeed } from './imported-row.js';
import type { FollowedSource } from './matches.repository.js';
import { feedUrlOf, siteKey } from './row-identity.js';

/** The feeds of a user, found as files name them. */
export class KnownFeeds {
  readonly #byUrl = new Map<string, FollowedSource>();
  readonly #bySite: ReadonlyMap<string, readonly FollowedSource[]>;
  readonly #given: ReadonlyMap<string, FollowedSource>;
  readonly #sources: ReadonlyMap<number, readonly number[]>;

  constructor(readonly all: readonly FollowedSource[]) {
    const fetched = all.filter(({ isGiven }) => !isGiven);
    for (const name of ['movedTo', 'url', 'sourceUrl'] as const) {
      for (const feed of fetched) {
        const url = feed[name];
        if (url !== null) {
          this.#byUrl.set(url, feed);
        }
      }
    }
    const withSite = fetched.filter(({ link, isFormer }) => link !== null && !isFormer);
    this.#bySite = Map.groupBy(withSite, ({ link }) => siteKey(link ?? ''));
    this.#given = new Map(all.flatMap((feed) => (feed.isGiven ? [[feed.urlKey, feed]] : [])));
    this.#sources = new Map(
      [...Map.groupBy(all, ({ feedId }) => feedId)].map(([id, feeds]) => [
        id,
        feeds.map(({ sourceId }) => sourceId),
      ]),
    );
  }

  /** Notes where addresses are redirected. */
  addMoves(moves: readonly { readonly url: string; readonly to: string }[]): void {
    for (const { url, to } of moves) {
      const feed = this.#byUrl.get(to);
      if (feed !== undefined && !this.#byUrl.has(url)) {
        this.#byUrl.set(url, feed);
      }
    }
  }

  hasUrl(url: string): boolean {
    return this.#byUrl.has(url);
  }

  /** By its address, else by its website and title: one of them must do if the file has no more. */
  find({ url, siteUrl, title }: ImportedFeed): FollowedSource | null {
    const address = feedUrlOf(url);
    const at = address === null ? undefined : this.#byUrl.get(address);
    if (at !== undefined || siteUrl === null) {
      return at ?? null;
    }
    const ofSite = this.#bySite.get(siteKey(siteUrl)) ?? [];
    const titled = ofSite.filter((feed) => feed.title === title);
    const found = titled.length > 0 || url !== null || title !== null ? titled : ofSite;
    const [only, ...others] = found;
    return others.length === 0 ? (only ?? null) : null;
  }

  /** A feed that is not fetched. @param urlKey hexadecimal */
  given(urlKey: string): FollowedSource | null {
    return this.#given.get(urlKey) ?? null;
  }

  /** All sources that a feed has or had. */
  sourcesOf(feedId: number): readonly number[] {
    return this.#sources.get(feedId) ?? [];
  }
}
