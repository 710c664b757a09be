import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { TextProcessingOffer } from '../../../common/ports/text-processing.js';
import { TranslationOffer } from '../../../common/ports/translation.js';
import { FeedNotFound, FolderNotFound } from '../../news.errors.js';
import { EarlyReadersRepository } from '../../reader/delivery/early-readers.repository.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../../reader/feeds/subscriptions.repository.js';
import { FoldersRepository } from '../../reader/folders/folders.repository.js';
import {
  AutomationRepository,
  type AutomaticChoice,
  type ChoiceOfPlace,
  type Place,
} from './automation.repository.js';

/** Possible automatic tasks, the user's choices, and the rest of the day's budget. */
export interface Automation {
  /** Languages that titles can be translated to, by code. */
  readonly languages: ReadonlyMap<string, string>;
  readonly summarises: boolean;
  readonly usedToday: number;
  readonly mostPerDay: number;
  readonly choices: readonly ChoiceOfPlace[];
}

/**
 * Tasks of external apps that start by themselves for new items.
 *
 * @see docs/decisions/0051-the-reader-uses-task-processing.md
 */
@Injectable()
export class AutomationService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly folders: FoldersRepository,
    private readonly automation: AutomationRepository,
    private readonly early: EarlyReadersRepository,
    private readonly translation: TranslationOffer,
    private readonly texts: TextProcessingOffer,
    private readonly config: Config,
  ) {}

  async find(reader: Reader): Promise<Automation> {
    const [pairs, types] = await Promise.all([
      this.translation.required.languages(),
      this.texts.required.taskTypes(),
    ]);
    const [choices, usedToday] = await Promise.all([
      this.automation.choices(reader.id),
      this.automation.used(reader.id),
    ]);
    return {
      languages: new Map(pairs.map(({ to, toLabel }) => [to, toLabel])),
      summarises: types.includes('summary'),
      usedToday,
      mostPerDay: this.config.limits['automatic-tasks-per-user-and-day'],
      choices,
    };
  }

  /**
   * Chooses the automatic tasks for future items of a feed or a folder. Works without a provider.
   *
   * @throws FeedNotFound, FolderNotFound
   */
  async choose(reader: Reader, place: Place, choice: AutomaticChoice): Promise<void> {
    await this.readers.change(reader, async (tx, reader) => {
      if (
        place.feedId !== undefined &&
        !(await this.subscriptions.exists(reader.id, place.feedId, tx))
      ) {
        throw new FeedNotFound(place.feedId);
      }
      if (
        place.folderId !== undefined &&
        !(await this.folders.exists(reader.id, place.folderId, tx))
      ) {
        throw new FolderNotFound(place.folderId);
      }
      const isOn = await this.automation.choose(reader, place, choice, tx);
      await this.early.set(reader, 'automates', isOn, tx);
    });
  }

  /** Translated titles of the user's items, as far as there are any. */
  async titles(
    reader: Reader,
    itemIds: readonly number[],
  ): Promise<{ readonly id: number; readonly translatedTitle: string }[]> {
    return this.automation.titles(reader.id, itemIds);
  }
}
