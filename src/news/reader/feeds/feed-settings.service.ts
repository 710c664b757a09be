import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../../database/database.js';
import type { ItemRule } from '../../feed-parser/items/item-identity.js';
import {
  FeedAlreadyExists,
  FeedMovedTooOften,
  FeedNotFetched,
  FeedNotFound,
} from '../../news.errors.js';
import {
  changedAccess,
  FeedAccessBox,
  NO_ACCESS,
  type FeedAccess,
  type PartialAccess,
} from '../../sources/access/feed-access.service.js';
import {
  ArticlesRepository,
  type RulePreview,
} from '../../sources/articles/articles.repository.js';
import {
  feedAddress,
  typedAddress,
  withItemRule,
  type FeedAddress,
} from '../../sources/feed-address.js';
import { SourceFinder } from '../../sources/finding/source-finder.service.js';
import { withoutCredentials } from '../../sources/shown-address.js';
import { DeliveriesRepository } from '../delivery/deliveries.repository.js';
import { DeliveryService } from '../delivery/delivery.service.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import {
  FeedSettingsRepository,
  type FeedOrigin,
  type FeedSettings,
} from './feed-settings.repository.js';
import { checkedTitle } from './feeds.service.js';
import { SubscriptionsRepository, type Feed } from './subscriptions.repository.js';

/** Settings of a feed, its title, folder and address; absent ones keep their value. */
interface WantedSettings extends FeedSettings {
  /** The user's title; empty follows the publisher's. */
  readonly title?: string | undefined;
  /** Null is the root. */
  readonly folderId?: number | null | undefined;
  /** Address of a feed, or of a web page that links to one. */
  readonly url?: string | undefined;
  /** Headers for this feed; empty ones are removed. */
  readonly access?: PartialAccess | undefined;
  readonly itemRule?: ItemRule | undefined;
}

export interface FetchSettings extends Pick<FeedOrigin, 'fetchEveryHours' | 'itemRule'> {
  /** URL without user name and password. */
  readonly url: string;
  readonly access: FeedAccess;
  /** Whether the address has a user name or password of its own. */
  readonly isAccessInAddress: boolean;
}

/** The source that a feed gets, and the address that led to it. */
interface NewSource {
  readonly sourceId: number;
  readonly url: string;
  /** Where it is, and where that redirects permanently. */
  readonly addresses: readonly FeedAddress[];
}

/** Limit; each former address with items costs a look-up per delivery. */
export const MOST_FORMER_SOURCES = 20;

/** The former source was fetched after its articles were delivered. */
class FetchedMeanwhile extends Error {}

const ATTEMPTS = 5;

@Injectable()
export class FeedSettingsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly settings: FeedSettingsRepository,
    private readonly sources: SourceFinder,
    private readonly delivery: DeliveryService,
    private readonly deliveries: DeliveriesRepository,
    private readonly accessBox: FeedAccessBox,
    private readonly articles: ArticlesRepository,
  ) {}

  /** @throws FeedNotFound */
  async fetching(reader: Reader, feedId: number): Promise<FetchSettings> {
    const { url, access, isGiven, ...others } = await this.#originOf(reader, feedId);
    const { fetchEveryHours, itemRule } = others;
    const shown = withoutCredentials(url);
    return {
      url: shown,
      fetchEveryHours,
      itemRule,
      access: isGiven ? NO_ACCESS : this.accessBox.open(url, access),
      isAccessInAddress: shown !== url,
    };
  }

  /**
   * Result of each identity rule for the stored articles.
   *
   * @throws FeedNotFound
   */
  async previewItemRules(reader: Reader, feedId: number): Promise<RulePreview[]> {
    const { sourceId } = await this.#originOf(reader, feedId);
    return this.articles.previewRules(sourceId);
  }

  /**
   * Changes the given settings, all or none. Switching full text on fetches the pages of the newest
   * articles in the background. A new address, headers or rule are tried first; the feed keeps its id,
   * settings and items, and articles that it has are recognised at the new address. Then the user's
   * pending articles are delivered, as for a new feed.
   *
   * @throws FeedNotFound
   * @throws FeedUnreadable at the new address
   * @throws FeedAlreadyExists when the user follows the new address already
   * @throws FeedMovedTooOften
   * @throws FeedNotFetched for another address, or headers, of a feed that items are added to
   * @throws FeedOfGroup for another address, headers or rule of a feed that a group gives
   */
  async change(
    reader: Reader,
    feedId: number,
    { title, url, access, itemRule, ...wanted }: WantedSettings,
  ): Promise<Feed> {
    const ownTitle = title === undefined || title.trim() === '' ? null : checkedTitle(title);
    const source =
      url === undefined && access === undefined && itemRule === undefined
        ? null
        : await this.#findSource(reader, feedId, { url, access, itemRule });
    const settings = { ...wanted, ...(title === undefined ? {} : { ownTitle }) };

    for (let attempt = 1; ; attempt += 1) {
      if (source !== null) {
        await this.delivery.deliverTo(reader);
      }
      try {
        await this.readers.change(reader, async (tx, reader) => {
          await this.#write(reader, feedId, settings, tx);
          if (source !== null) {
            await this.#move(reader, feedId, source, tx);
          }
        });
        return await this.#find(reader, feedId);
      } catch (error) {
        if (!(error instanceof FetchedMeanwhile) || attempt === ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  async #write(
    reader: LockedReader,
    feedId: number,
    {
      ownTitle,
      folderId,
      ...wanted
    }: FeedSettings & Pick<WantedSettings, 'folderId'> & { readonly ownTitle?: string | null },
    tx: Transaction,
  ): Promise<void> {
    FeedNotFound.unless(await this.settings.change(reader, feedId, wanted, tx), feedId);
    if (ownTitle !== undefined) {
      await this.subscriptions.rename(reader.id, feedId, ownTitle, tx);
    }
    if (folderId !== undefined) {
      await this.subscriptions.move(reader.id, feedId, folderId, tx);
    }
  }

  async #move(
    reader: LockedReader,
    feedId: number,
    source: NewSource,
    tx: Transaction,
  ): Promise<void> {
    await this.subscriptions.assertNotGiven(reader.id, feedId, tx);
    await this.subscriptions.assertNew(reader.id, source.addresses, tx, feedId);
    switch (await this.settings.changeAddress(reader, feedId, source, tx)) {
      case 'taken':
        throw new FeedAlreadyExists();
      case 'behind':
        throw new FetchedMeanwhile(`Feed ${feedId} has articles that are not delivered`);
      case 'done':
        await this.deliveries.deliver(reader, tx);
    }
  }

  /** Reads the feed at the new address, with the new headers and rule. */
  async #findSource(
    reader: Reader,
    feedId: number,
    { url, access = {}, itemRule }: Pick<WantedSettings, 'url' | 'access' | 'itemRule'>,
  ): Promise<NewSource> {
    const origin = await this.#originOf(reader, feedId);
    // Before anything is sent there with headers that are not the user's.
    await this.settings.assertNotGiven(reader.id, feedId);
    const rule = itemRule ?? origin.itemRule;
    if (origin.givenTo !== null) {
      if ((url ?? origin.url) !== origin.url || isGiven(access) || itemRule) {
        throw new FeedNotFetched();
      }
      return { sourceId: origin.sourceId, url: origin.url, addresses: [] };
    }
    const isAccessChanged = isGiven({
      userName: access.userName,
      password: access.password,
      token: access.token,
    });
    const address = newAddress(origin.url, url ?? origin.url, isAccessChanged);
    const isSameOrigin = new URL(address.href).origin === new URL(origin.url).origin;
    const present = this.accessBox.open(origin.url, origin.access);
    // Credentials are for the server that they were entered for.
    const kept = isSameOrigin ? present : { ...NO_ACCESS, userAgent: present.userAgent };
    const wanted = changedAccess(kept, access);
    const { key, access: sealed } = withItemRule(this.accessBox.seal(address, wanted), rule);
    const isReadable = sealed === null || this.accessBox.opens(origin.url, origin.access);
    if (key.equals(origin.urlKey) && isReadable) {
      return { sourceId: origin.sourceId, url: address.given, addresses: [] };
    }
    if (origin.formerSources >= MOST_FORMER_SOURCES) {
      throw new FeedMovedTooOften(MOST_FORMER_SOURCES);
    }
    const found = await this.sources.find(address, wanted, rule);
    return address.href === origin.url ? { ...found, addresses: [] } : found;
  }

  async #originOf(reader: Reader, feedId: number): Promise<FeedOrigin> {
    return FeedNotFound.unless(await this.settings.originOf(reader.id, feedId), feedId);
  }

  async #find(reader: Reader, feedId: number): Promise<Feed> {
    return FeedNotFound.unless(await this.subscriptions.find(reader.id, feedId), feedId);
  }
}

const isGiven = (access: PartialAccess): boolean =>
  Object.values(access).some((value) => value !== undefined);

/**
 * The address as it was given. User name and password that the present address has are not shown to
 * the user, so they stay for the same server, unless new ones are given.
 */
function newAddress(present: string, wanted: string, isAccessChanged: boolean): FeedAddress {
  const address = typedAddress(wanted);
  const [from, to] = [new URL(present), new URL(address.href)];
  const hasOwn = to.username !== '' || to.password !== '';
  if (isAccessChanged && from.username === to.username && from.password === to.password) {
    to.username = '';
    to.password = '';
    return hasOwn ? feedAddress(to.href) : address;
  }
  if (isAccessChanged || hasOwn || from.origin !== to.origin || from.username === '') {
    return address;
  }
  to.username = from.username;
  to.password = from.password;
  return feedAddress(to.href);
}
