import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { AdministrationLogOffer } from '../../common/ports/administration-log.js';
import type { SqlRunner } from '../../database/database.js';
import { BoardNotFound, FolderNotFound, ItemNotFound, LabelNotFound } from '../news.errors.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SearchNotFound } from '../reader/search/search.errors.js';
import { FeedOutNotFound, FeedsOutAreOff, PrivateArticle } from './feeds-out.errors.js';
import {
  FeedsOutRepository,
  type FeedOut,
  type PublishedList,
  type Showing,
} from './feeds-out.repository.js';
import { FeedsOutSettings } from './feeds-out.settings.js';
import { ListContents, nameIn, type ListPlaces } from './list-contents.service.js';
import { ListTokens } from './list-tokens.service.js';

/** A published list as its user sees it. */
export type OwnFeedOut = FeedOut & {
  /** Of the list; null if that is gone, and for an article. */
  readonly name: string | null;
  readonly token: string;
};

const NOT_FOUND = {
  folder: FolderNotFound,
  label: LabelNotFound,
  search: SearchNotFound,
  board: BoardNotFound,
};

/**
 * Lists that users publish. Each list is published once, with a token of its own.
 *
 * @see docs/decisions/0110-feeds-out.md
 */
@Injectable()
export class FeedsOutService {
  constructor(
    private readonly config: Config,
    private readonly settings: FeedsOutSettings,
    private readonly readers: ReadersRepository,
    private readonly lists: FeedsOutRepository,
    private readonly contents: ListContents,
    private readonly delivery: DeliveryService,
    private readonly tokens: ListTokens,
    private readonly log: AdministrationLogOffer,
  ) {}

  /** Who may read published lists. */
  get audience() {
    return this.settings.feedsOut;
  }

  /** Newest first. */
  async list(reader: Reader): Promise<OwnFeedOut[]> {
    const lists = await this.lists.list(reader.userId);
    const places = await this.contents.placesOf(reader);
    return lists.map((list) => this.#shown(list, places));
  }

  /**
   * Publishes a list; one that is published already is shown as wanted now, and keeps its address.
   *
   * @throws FeedsOutAreOff, PrivateArticle, LimitReached, and an error that there is no such list
   */
  async publish(reader: Reader, list: PublishedList, showing: Showing): Promise<OwnFeedOut> {
    FeedsOutAreOff.unless(this.audience !== 'off');
    const places = await this.contents.placesOf(reader);
    if (list.kind === 'board') {
      // A member who has not synchronised since it was made has no feed of it.
      await this.delivery.deliverTo(reader);
    }
    await this.#assertPublishable(reader, list, places);
    const { userId } = reader;
    const published = await this.#change(reader, async (tx) => {
      const present = await this.lists.idOf(userId, list, tx);
      if (present !== null) {
        await this.lists.change(present, showing, tx);
        return present;
      }
      const most = this.config.limits['feeds-out-per-user'];
      assertBelowLimit(this.config, 'feeds-out-per-user', await this.lists.count(userId, most, tx));
      return this.lists.create(userId, { ...list, ...showing }, this.tokens.make(), tx);
    });
    await this.#note('list_published', published);
    return this.#shown(published, places);
  }

  /** Replaces the address; the former one ends. @throws FeedOutNotFound */
  async renew(reader: Reader, id: number): Promise<OwnFeedOut> {
    const renewed = await this.#change(reader, async (tx) => {
      FeedOutNotFound.unless(await this.lists.one(reader.userId, id, tx));
      await this.lists.setToken(id, this.tokens.make(), tx);
      return id;
    });
    await this.#note('list_published', renewed);
    return this.#shown(renewed, await this.contents.placesOf(reader));
  }

  /** Takes a list back: its address ends. @throws FeedOutNotFound */
  async withdraw(reader: Reader, id: number): Promise<void> {
    const list = FeedOutNotFound.unless(await this.lists.one(reader.userId, id));
    await this.lists.remove(id);
    await this.#note('list_withdrawn', list);
  }

  /** @param work returns the id of what it changed */
  async #change(reader: Reader, work: (tx: SqlRunner) => Promise<number>): Promise<FeedOut> {
    return this.readers.change(
      reader,
      async (tx) => FeedOutNotFound.unless(await this.lists.one(reader.userId, await work(tx), tx)),
      'upkeep',
    );
  }

  async #assertPublishable(reader: Reader, list: PublishedList, places: ListPlaces): Promise<void> {
    const { kind, ofId } = list;
    if (kind === 'item') {
      const found = await this.contents.isPublic(reader, ofId);
      ItemNotFound.unless(found !== 'missing', ofId);
      PrivateArticle.unless(found === 'public');
    } else if (kind !== 'starred') {
      NOT_FOUND[kind].unless(nameIn(places, list), ofId);
    }
  }

  #shown(list: FeedOut, places: ListPlaces): OwnFeedOut {
    return { ...list, name: nameIn(places, list), token: this.tokens.open(list) };
  }

  async #note(kind: 'list_published' | 'list_withdrawn', list: FeedOut): Promise<void> {
    const how = [list.fullText && 'whole texts', list.withNotes && 'notes'].filter(Boolean);
    const details = [`${list.kind} ${list.ofId}`, ...how].join(', ');
    await this.log.required.notePublication(kind, list.userId, details);
  }
}
