import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import { announceSomething } from '../reader/delivery/announcements.sql.js';
import { ReaderIds } from '../reader/delivery/reader-ids.repository.js';
import type { AutomaticKind } from './automation-jobs.js';
import {
  countFailure,
  forgetFailures,
  giveBackOne,
  isPaused,
  listChoices,
  listNewItems,
  listTitles,
  lockBudget,
  newestItemId,
  saveChoice,
  savePlan,
  usedToday,
  useOne,
  type ChoiceOfPlace,
  type LockedBudget,
} from './automation.sql.js';

export type {
  AutomaticChoice,
  ChoiceOfPlace,
  LockedBudget,
  NewItem,
  Place,
} from './automation.sql.js';

/** Tasks that start by themselves: what users chose, what they have used today, and pauses. */
@Injectable()
export class AutomationRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  async choices(readerId: number): Promise<ChoiceOfPlace[]> {
    return listChoices(this.database, readerId);
  }

  /** Those that a user wants titles in, sorted. */
  async languages(userId: string): Promise<string[]> {
    const readerId = await this.ids.of(userId);
    const choices = readerId === null ? [] : await this.choices(readerId);
    return [...new Set(choices.flatMap(({ titlesTo }) => titlesTo || []))].toSorted();
  }

  /** Items that are there already are left as they are. */
  readonly choose = saveChoice;

  /** Tasks of today. */
  async used(readerId: number): Promise<number> {
    return usedToday(this.database, readerId);
  }

  /** @returns null for a user who never made a choice */
  async lockBudget(tx: SqlRunner, userId: string): Promise<LockedBudget | null> {
    const readerId = await this.ids.of(userId, tx);
    return readerId === null ? null : ((await lockBudget(tx, readerId)) ?? null);
  }

  /** Newest first. */
  readonly newItems = listNewItems;
  readonly newestItemId = newestItemId;
  /** Stores what a plan used, and how far it looked. */
  readonly savePlan = savePlan;

  /** @param most tasks of a day @returns false if they are used up */
  async useOne(userId: string, most: number): Promise<boolean> {
    const readerId = await this.ids.of(userId);
    return readerId !== null && useOne(this.database, readerId, most);
  }

  /** Gives back one task that was not started. */
  async giveBackOne(userId: string): Promise<void> {
    const readerId = await this.ids.of(userId);
    if (readerId !== null) {
      await giveBackOne(this.database, readerId);
    }
  }

  async isPaused(kind: AutomaticKind): Promise<boolean> {
    return isPaused(this.database, kind);
  }

  /** After three failures in a row the kind pauses, longer with each further one. */
  async countFailure(kind: AutomaticKind): Promise<void> {
    await countFailure(this.database, kind);
  }

  async forgetFailures(kind: AutomaticKind): Promise<void> {
    await forgetFailures(this.database, kind);
  }

  /** Tells the listening pages of a user. */
  async announceResults(userId: string): Promise<void> {
    const readerId = await this.ids.of(userId);
    if (readerId !== null) {
      await announceSomething(this.database, readerId);
    }
  }

  /** Translated titles of the given items, as far as there are any. */
  async titles(
    readerId: number,
    itemIds: readonly number[],
  ): Promise<{ readonly id: number; readonly translatedTitle: string }[]> {
    return listTitles(this.database, readerId, itemIds);
  }
}
