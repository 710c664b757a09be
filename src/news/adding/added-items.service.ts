import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { tooMany } from '../../common/errors/domain-error.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { DAY_SECONDS } from '../../common/units.js';
import { withoutControls } from '../feed-parser/html/character-references.js';
import type { ParsedFeed } from '../feed-parser/parsed-feed.js';
import { FeedReadingPool } from '../feed-parser/pool/reading-pool.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { ArticlesRepository } from '../sources/articles/articles.repository.js';
import type { AddedItem as SentItem } from './added-items.input.js';
import {
  GivenFeedsRepository,
  type GivenFeed,
  type GivenSource,
} from './given-feeds.repository.js';
import { givenSource, type Adder } from './given-source.js';

/** No item of the request is stored. */
class FeedFullForToday extends tooMany(
  (count: number) =>
    `This feed got ${count} new items within a day, as many as this installation allows. Try again tomorrow.`,
  { retryAfterSeconds: DAY_SECONDS },
) {}

/** An item to add. */
export interface AddedItem extends SentItem {
  readonly picture?: string | null;
}

export interface Added {
  readonly feedId: number;
  /** In the given order, each identity once; only items in the feed. */
  readonly items: readonly {
    readonly id: number;
    readonly guid: string;
    readonly guidHash: string;
  }[];
}

/** A feed that is deleted while items are added to it is created again. */
const ATTEMPTS = 5;

/**
 * Adds items to a feed of the user's own, which is created with the first one. Its source has no
 * schedule; otherwise the items take the way of fetched ones: identity, sanitising, filters, delivery.
 *
 * @see docs/decisions/0053-apps-act-for-users.md
 */
@Injectable()
export class AddedItemsService {
  constructor(
    private readonly config: Config,
    private readonly address: PublicAddress,
    private readonly pool: FeedReadingPool,
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly feeds: GivenFeedsRepository,
    private readonly articles: ArticlesRepository,
    private readonly delivery: DeliveryService,
  ) {}

  /**
   * Adds all items or none. An item with the guid of an earlier one, or without guid with its url, updates
   * that one. Delivers.
   *
   * @param feedTitle names the feed among this app's; default: the name of the app
   * @throws FeedFullForToday
   */
  async add(adder: Adder, feedTitle: string | null, items: readonly AddedItem[]): Promise<Added> {
    const { reader } = adder;
    const source = givenSource(adder, feedTitle);
    const document = await this.#read(source, items);
    for (let attempt = 1; ; attempt += 1) {
      const feed = await this.#feedOf(reader, source);
      const { feedId, sourceId } = feed;
      const ingested = await this.articles.addGiven(sourceId, document);
      if (ingested !== null && ingested.postponedItems > 0) {
        throw new FeedFullForToday(this.config.limits['new-articles-per-source-and-day']);
      }
      if (ingested !== null) {
        await this.delivery.deliverTo(reader);
        return { feedId, items: await this.#delivered(reader, feed, document) };
      }
      if (attempt === ATTEMPTS) {
        throw new Error(`Source ${sourceId} of added items was removed meanwhile`);
      }
    }
  }

  /** The id of the feed that items are added to; null if there is none yet. */
  async feedId(adder: Adder, feedTitle: string | null): Promise<number | null> {
    const { urlKey } = givenSource(adder, feedTitle);
    return (await this.feeds.find(adder.reader.id, urlKey))?.feedId ?? null;
  }

  async #read({ url, title }: GivenSource, items: readonly AddedItem[]): Promise<ParsedFeed> {
    const read = await this.pool.read({
      bytes: givenDocument(items),
      contentType: 'application/feed+json',
      url,
      ownOrigin: new URL(this.address.root).origin,
    });
    // Treated like a truncated document: unlisted items stay.
    return { ...read, title, cut: true };
  }

  async #feedOf(reader: Reader, source: GivenSource): Promise<GivenFeed> {
    return this.readers.change(reader, async (tx, reader) => {
      const present = await this.feeds.find(reader.id, source.urlKey, tx);
      if (present !== null) {
        return present;
      }
      const most = this.config.limits['feeds-per-user'];
      const count = await this.subscriptions.count(reader.id, most, tx);
      assertBelowLimit(this.config, 'feeds-per-user', count);
      return this.feeds.create(reader.id, source, tx);
    });
  }

  async #delivered(
    reader: Reader,
    feed: GivenFeed,
    { items }: ParsedFeed,
  ): Promise<Added['items']> {
    const hashes = items.map(({ guidHash }) => guidHash);
    const ids = await this.feeds.itemIds(reader.id, feed, hashes);
    return items.toReversed().flatMap(({ guid, guidHash }) => {
      const id = ids.get(guidHash);
      return id === undefined ? [] : [{ id, guid, guidHash }];
    });
  }
}

/**
 * Writes items as a JSON Feed, so that they pass the same parser and sanitiser as publishers' items. The
 * identity of an item is its guid, else its url; of several with one identity the last counts.
 */
export function givenDocument(items: readonly AddedItem[]): Buffer {
  const latest = new Map(items.map((item) => [identityOf(item), item]));
  const document = {
    version: 'https://jsonfeed.org/version/1.1',
    // Publishers list the newest entry first; here the item given last is the newest.
    items: [...latest].reverse().map(([id, item]) => ({
      id,
      url: item.url,
      title: item.title,
      content_html: item.body,
      image: item.picture ?? undefined,
      authors: item.author === undefined ? undefined : [{ name: item.author }],
      date_published:
        item.pubDate === undefined ? undefined : new Date(item.pubDate * 1000).toISOString(),
      attachments:
        item.enclosureLink === undefined
          ? undefined
          : [{ url: item.enclosureLink, mime_type: item.enclosureMime }],
    })),
  };
  return Buffer.from(JSON.stringify(document));
}

function identityOf({ guid = '', url = '' }: AddedItem): string {
  return withoutControls(guid).trim() || url;
}
