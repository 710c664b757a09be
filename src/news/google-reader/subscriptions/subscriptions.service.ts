import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/errors/domain-error.js';
import { FeedAlreadyExists } from '../../news.errors.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { checkedTitle, FeedsService } from '../../reader/feeds/feeds.service.js';
import type { Feed } from '../../reader/feeds/subscriptions.repository.js';
import { FoldersService } from '../../reader/folders/folders.service.js';
import { UnknownStream, streamNameOf } from '../stream-names.js';
import type { FeedPlace } from '../streams/stream-sets.repository.js';
import { StreamSetsService } from '../streams/stream-sets.service.js';
import { TagsService } from '../tags/tags.service.js';
import type { EditedFeed, SubscriptionEdit } from './subscription-edit.input.js';

/** A feed with the name of its folder; null is the root. */
export interface FiledFeed {
  readonly feed: Feed;
  readonly folder: string | null;
}

/** Feeds as this API edits them: by stream, in folders by name. */
@Injectable()
export class GoogleSubscriptionsService {
  constructor(
    private readonly feeds: FeedsService,
    private readonly folders: FoldersService,
    private readonly tags: TagsService,
    private readonly sets: StreamSetsService,
  ) {}

  /** Starts a synchronisation: delivers first. */
  async list(reader: Reader): Promise<FiledFeed[]> {
    const [{ feeds }, folders] = await Promise.all([
      this.feeds.list(reader),
      this.folders.list(reader),
    ]);
    const names = new Map(folders.map(({ id, name }) => [id, name]));
    return feeds.map((feed) => ({
      feed,
      folder: feed.folderId === null ? null : (names.get(feed.folderId) ?? null),
    }));
  }

  /**
   * Subscribes to a feed, or to the one that a web page links to.
   *
   * @param given an address, also as `feed/<address>`
   * @returns the feed; the address of an existing one
   * @throws other errors of `FeedsService.subscribe`
   */
  async quickAdd(
    reader: Reader,
    given: string,
  ): Promise<{ readonly feed: Feed } | { readonly alreadyAt: string }> {
    const address = addressOf(given);
    try {
      return { feed: (await this.feeds.subscribe(reader, address, null)).feed };
    } catch (error) {
      if (!(error instanceof FeedAlreadyExists)) {
        throw error;
      }
      const followed = await this.#followed(reader, error.address ?? address);
      return { alreadyAt: followed?.url ?? address };
    }
  }

  /**
   * @throws UnknownStream naming the missing feed; then nothing was changed @throws errors of the services
   *   of feeds and folders
   */
  async edit(reader: Reader, edit: SubscriptionEdit): Promise<void> {
    // Validate all before the first change.
    for (const { title } of edit.feeds) {
      if (title !== null) {
        checkedTitle(title);
      }
    }
    if (edit.action === 'subscribe') {
      await this.#subscribeAll(reader, edit);
      return;
    }
    const named = await this.#allOf(reader, edit.feeds);
    if (edit.action === 'unsubscribe') {
      for (const { place } of named) {
        await this.feeds.unsubscribe(reader, place.id);
      }
      return;
    }
    const folderId =
      edit.intoFolder === null ? null : await this.tags.findOrCreateFolder(reader, edit.intoFolder);
    for (const { place, title } of named) {
      if (title !== null) {
        await this.feeds.rename(reader, place.id, title);
      }
      const leaves = place.folder !== null && edit.outOfFolders.includes(place.folder);
      if (folderId !== null || leaves) {
        await this.feeds.move(reader, place.id, folderId);
      }
    }
  }

  /** Subscribes to all or none; a folder is created only once the feeds exist. */
  async #subscribeAll(reader: Reader, { feeds, intoFolder }: SubscriptionEdit): Promise<void> {
    const created: number[] = [];
    try {
      for (const { stream, title } of feeds) {
        const { feed } = await this.feeds.subscribe(reader, addressOf(stream), null);
        created.push(feed.id);
        if (title !== null) {
          await this.feeds.rename(reader, feed.id, title);
        }
      }
      if (intoFolder !== null) {
        const folderId = await this.tags.findOrCreateFolder(reader, intoFolder);
        for (const feedId of created) {
          await this.feeds.move(reader, feedId, folderId);
        }
      }
    } catch (error) {
      for (const feedId of created) {
        await this.feeds.unsubscribe(reader, feedId).catch(onlyIfExpected);
      }
      throw error;
    }
  }

  /** @throws UnknownStream */
  async #allOf(
    reader: Reader,
    wanted: readonly EditedFeed[],
  ): Promise<{ place: FeedPlace; title: string | null }[]> {
    const places = await this.sets.feedPlaces(reader);
    const found = new Map<number, { place: FeedPlace; title: string | null }>();
    for (const { stream, title } of wanted) {
      const named = streamNameOf(stream);
      const feedId = named.of === 'feed' ? named.feedId : await this.sets.feedIdOf(reader, stream);
      const place = UnknownStream.unless(feedId === null ? undefined : places.get(feedId), stream);
      found.set(place.id, { place, title });
    }
    return [...found.values()];
  }

  async #followed(reader: Reader, address: string): Promise<FeedPlace | undefined> {
    const feedId = await this.sets.feedIdOf(reader, `feed/${address}`);
    return feedId === null ? undefined : (await this.sets.feedPlaces(reader)).get(feedId);
  }
}

/**
 * `feed/https://a.example/rss`, also with several `feed/`, or the address alone; people type it without
 * `https://`.
 */
function addressOf(given: string): string {
  const named = streamNameOf(given);
  return named.of === 'address' ? named.address : given;
}

/** The feed was removed meanwhile. */
function onlyIfExpected(error: unknown): void {
  if (!(error instanceof DomainError)) {
    throw error;
  }
}
