import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Config } from '../../common/config/config.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { StoryExceptionsOffer } from '../../common/ports/story-exceptions.js';
import { ITEM_RULES } from '../feed-parser/items/item-identity.js';
import { checkedName, InvalidFolderName } from '../news.errors.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { FeedSettingsService } from '../reader/feeds/feed-settings.service.js';
import { FiltersService } from '../reader/filters/filters.service.js';
import { FoldersRepository } from '../reader/folders/folders.repository.js';
import { MAX_NAME_CHARACTERS } from '../reader/folders/folders.service.js';
import {
  TransferredItemsRepository,
  type TransferredFeed,
} from './transferred-items.repository.js';

const flag = z.stringbool().optional().catch(undefined);
const text = z.string().default('').catch('');
const number = (least: number, most: number) =>
  z.coerce.number().int().min(least).max(most).optional().catch(undefined);

/** The attributes of `ownAttributes`, with names in lower case; what cannot be read is left out. */
const Own = z.object({
  title: text,
  ordering: number(0, 2),
  pinned: flag,
  fulltext: flag,
  updatemode: number(0, 1),
  alwaysshown: flag,
  fetcheveryhours: number(1, 168),
  itemrule: z.enum(ITEM_RULES).optional().catch(undefined),
  titlekeywords: text,
  bodykeywords: text,
  urlkeywords: text,
});

/** A feed as an archive has it. */
export interface FeedInArchive {
  readonly url: string;
  readonly title: string | null;
  readonly folder?: string | null;
  readonly own: Readonly<Record<string, string>>;
}

/** Gives feeds the settings that they have in an archive, unless the user has set something already. */
@Injectable()
export class FeedSettingsRestore {
  constructor(
    private readonly config: Config,
    private readonly items: TransferredItemsRepository,
    private readonly readers: ReadersRepository,
    private readonly folders: FoldersRepository,
    private readonly settings: FeedSettingsService,
    private readonly filters: FiltersService,
    private readonly stories: StoryExceptionsOffer,
  ) {}

  async takeIn(
    reader: Reader,
    given: readonly FeedInArchive[],
    leaveOut: (what: string, reason: string) => void,
  ): Promise<void> {
    const present = new Map((await this.items.feeds(reader.id)).map((feed) => [feed.url, feed]));
    for (const one of given) {
      const feed = present.get(one.url);
      // A file may name one as often as it likes.
      present.delete(one.url);
      if (feed === undefined || !isUntouched(feed)) {
        continue;
      }
      try {
        await this.#apply(reader, feed, one);
      } catch (error) {
        if (!(error instanceof DomainError)) {
          throw error;
        }
        leaveOut(`settings of ${one.title ?? one.url}`, error.message);
      }
    }
  }

  async #apply(reader: Reader, feed: TransferredFeed, given: FeedInArchive): Promise<void> {
    const own = Own.parse(given.own);
    const { titlekeywords, bodykeywords, urlkeywords } = own;
    if (titlekeywords + bodykeywords + urlkeywords !== '') {
      const keywords = {
        titleKeywords: titlekeywords,
        bodyKeywords: bodykeywords,
        urlKeywords: urlkeywords,
      };
      if ((await this.filters.find(reader, feed.id)) === null) {
        await this.filters.save(reader, feed.id, keywords);
      }
    }
    // The settings come last: with them, nothing is taken again after a kill.
    if (own.alwaysshown === true) {
      await this.stories.service?.showAlways(reader, feed.id, true);
    }
    const followsPublisher = own.title === 'publisher' && feed.ownTitle === given.title;
    const folderId = given.folder ? await this.#folderId(reader, given.folder) : undefined;
    const wanted = {
      ordering: own.ordering,
      pinned: own.pinned,
      fullText: own.fulltext,
      updateMode: own.updatemode,
      fetchEveryHours: own.fetcheveryhours,
      itemRule: own.itemrule,
      folderId,
      ...(followsPublisher && feed.ownTitle !== null && { title: '' }),
      ...(feed.isGiven && own.title !== 'publisher' && { title: given.title ?? '' }),
    };
    if (Object.values(wanted).some((value) => value !== undefined)) {
      await this.settings.change(reader, feed.id, wanted);
    }
  }

  /** @throws InvalidFolderName, LimitReached */
  async #folderId(reader: Reader, given: string): Promise<number | undefined> {
    const name = checkedName(given, MAX_NAME_CHARACTERS, InvalidFolderName);
    return this.readers.change(reader, async (tx, { id }) => {
      if ((await this.folders.missing(id, [name], tx)) > 0) {
        const most = this.config.limits['folders-per-user'];
        const count = await this.folders.count(id, most, tx);
        assertBelowLimit(this.config, 'folders-per-user', count);
      }
      return (await this.folders.findOrCreate(id, [name], tx)).get(name);
    });
  }
}

const isUntouched = (feed: TransferredFeed) =>
  feed.ordering === 0 &&
  !feed.pinned &&
  !feed.fullText &&
  feed.updateMode === 0 &&
  feed.fetchEveryHours === null;
