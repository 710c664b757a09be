import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Turns } from '../../common/turns.js';
import type { SqlRunner } from '../../database/database.js';
import { pageKey } from '../reader/search/address-token.js';
import { ItemsByAddress, type ItemAtAddress } from '../reader/search/items-by-address.service.js';
import { feedAddress } from '../sources/feed-address.js';
import type { ImportedRow } from './imported-row.js';
import { KnownFeeds } from './known-feeds.js';
import { MatchesRepository, type FollowedSource } from './matches.repository.js';
import { feedUrlOf, guidOf, hashKey, hashKeysOf } from './row-identity.js';

/** A row, and the feed of the user's own that would have it. */
export interface SoughtRow {
  readonly row: ImportedRow;
  /** Hexadecimal key of that feed's source. */
  readonly ownKey: string;
}

/** Finds the items of a user that rows of a file are: by guid in the feed, else by their links. */
@Injectable()
export class RowMatching {
  constructor(
    private readonly matches: MatchesRepository,
    private readonly addresses: ItemsByAddress,
  ) {}

  async feedsOf(readerId: number, tx?: SqlRunner): Promise<KnownFeeds> {
    return new KnownFeeds(await this.matches.feeds(readerId, tx));
  }

  /** @returns the items' ids */
  async match<Sought extends SoughtRow>(
    readerId: number,
    feeds: KnownFeeds,
    rows: readonly Sought[],
    tx?: SqlRunner,
  ): Promise<Map<Sought, number>> {
    await this.#noteMoves(feeds, rows, tx);
    const found = new Map<Sought, number>();
    const places = rows.map((sought) => ({ sought, ...placesOf(sought, feeds) }));
    const byGuid = await this.matches.itemsByGuid(
      readerId,
      places.flatMap(({ guids }) =>
        guids.flatMap(({ feedId, guidHash }) =>
          feeds.sourcesOf(feedId).map((sourceId) => ({ feedId, sourceId, guidHash })),
        ),
      ),
      tx,
    );
    for (const { sought, guids } of places) {
      const [itemId] = guids.flatMap(
        ({ feedId, guidHash }) => byGuid.get(`${feedId}/${guidHash}`) ?? [],
      );
      if (itemId !== undefined) {
        found.set(sought, itemId);
      }
    }
    const rest = places.filter(({ sought }) => !found.has(sought));
    await this.#matchLinks(readerId, feeds, rest, found, tx);
    await this.#matchHashes(readerId, rest, found, tx);
    return found;
  }

  async #noteMoves(
    feeds: KnownFeeds,
    rows: readonly SoughtRow[],
    tx: SqlRunner | undefined,
  ): Promise<void> {
    const urls = new Set(rows.map(({ row }) => feedUrlOf(row.feed?.url ?? null)));
    const unknown = [...urls].filter((url) => url !== null && !feeds.hasUrl(url));
    if (unknown.length > 0) {
      feeds.addMoves(
        await this.matches.moves(
          unknown.map((url) => feedAddress(url ?? '').key),
          tx,
        ),
      );
    }
  }

  async #matchLinks<Sought extends SoughtRow>(
    readerId: number,
    feeds: KnownFeeds,
    rows: readonly { readonly sought: Sought; readonly feed: FollowedSource | null }[],
    found: Map<Sought, number>,
    tx: SqlRunner | undefined,
  ): Promise<void> {
    const keyOf = ({ row }: Sought) => (row.url === null ? null : pageKey(row.url));
    const keys = new Set(rows.map(({ sought }) => keyOf(sought)).filter((key) => key !== null));
    if (keys.size === 0) {
      return;
    }
    // What an import brought itself is found by its guid, and waits for the index by thousands.
    const given = feeds.all.flatMap(({ isGiven, sourceId }) => (isGiven ? [sourceId] : []));
    const items = await this.addresses.findAll(readerId, keys, new Set(given), tx);
    for (const { sought, feed } of rows) {
      const at = items.get(keyOf(sought) ?? '');
      const item = at && oneOf(at, feed?.feedId ?? 0, sought.row);
      if (item !== undefined) {
        found.set(sought, item.itemId);
      }
    }
  }

  /** The hashes of some programs, where links do not tell. */
  async #matchHashes<Sought extends SoughtRow>(
    readerId: number,
    rows: readonly { readonly sought: Sought; readonly feed: FollowedSource | null }[],
    found: Map<Sought, number>,
    tx: SqlRunner | undefined,
  ): Promise<void> {
    const hashed = rows.flatMap(({ sought, feed }) => {
      const key = hashKey(sought.row.guid);
      return found.has(sought) || feed === null || key === null
        ? []
        : [{ sought, key, feedId: feed.feedId }];
    });
    const turns = new Turns();
    for (const [feedId, wanted] of Map.groupBy(hashed, (one) => one.feedId)) {
      const byKey = Map.groupBy(wanted, ({ key }) => key);
      const userIds = new Set(
        wanted.flatMap(({ sought: { row } }) =>
          row.guid?.kind === 'tt-rss' ? (row.guid.userId ?? []) : [],
        ),
      );
      for (const article of await this.matches.hashable(readerId, feedId, tx)) {
        await turns.take();
        for (const { sought } of hashKeysOf(article, userIds).flatMap(
          (key) => byKey.get(key) ?? [],
        )) {
          found.set(sought, article.itemId);
        }
      }
    }
  }
}

/** The feed that a row is of, and the guids by which feeds have it: that one, and the user's own. */
function placesOf({ row, ownKey }: SoughtRow, feeds: KnownFeeds) {
  const feed = row.feed === null ? null : feeds.find(row.feed);
  const own = feeds.given(ownKey);
  const at = (place: FollowedSource | null, guid: string) =>
    place === null
      ? []
      : [{ feedId: place.feedId, guidHash: createHash('md5').update(guid).digest('hex') }];
  return {
    feed,
    guids: [
      ...(row.guid?.kind === 'plain' ? at(feed, row.guid.guid.trim()) : []),
      ...at(own, guidOf(row)),
    ],
  };
}

/** Of the row's feed, else of any that has one article there; of several, the one with the title. */
function oneOf(
  items: readonly ItemAtAddress[],
  feedId: number,
  { title }: ImportedRow,
): ItemAtAddress | undefined {
  const byFeed = Map.groupBy(items, (item) => item.feedId);
  const inOrder = [byFeed.get(feedId) ?? [], ...byFeed.values()];
  return inOrder
    .map((some) => (some.length > 1 ? some.filter((item) => item.title === title) : some))
    .find((some) => some.length === 1)?.[0];
}
