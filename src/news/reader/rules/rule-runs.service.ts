import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import { DeliveriesRepository, type DeliveredItem } from '../delivery/deliveries.repository.js';
import { QuestionsOffer, type Question } from '../delivery/questions.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { NoticesRepository } from '../notices/notices.repository.js';
import { NoticesService } from '../notices/notices.service.js';
import { RuleEffectsRepository } from './rule-effects.repository.js';
import { RulePlans, type AskedItem } from './rule-plans.service.js';
import type { RuleSet } from './rule-set.js';
import { RuleSets } from './rule-sets.service.js';

/** Carries out what rules want, at delivery and when they are applied to what is there. */
@Injectable()
export class RuleRuns {
  constructor(
    private readonly sets: RuleSets,
    private readonly effects: RuleEffectsRepository,
    private readonly plans: RulePlans,
    private readonly notices: NoticesRepository,
    private readonly told: NoticesService,
    private readonly questions: QuestionsOffer,
    deliveries: DeliveriesRepository,
  ) {
    deliveries.carryOut('rules', (tx, reader, delivered) => this.#deliver(reader, delivered, tx));
  }

  /**
   * Does to items that are there what rules want, once per rule and item; nobody is told.
   *
   * @returns how many items have effects now that they had not
   */
  async applyTo(
    reader: LockedReader,
    itemIds: readonly number[],
    set: RuleSet,
    tx: SqlRunner,
  ): Promise<number> {
    return this.#carryOut(
      reader,
      itemIds.map((itemId) => ({ itemId, isNew: false, isNews: false })),
      set,
      tx,
    );
  }

  async #deliver(
    reader: LockedReader,
    delivered: readonly DeliveredItem[],
    tx: SqlRunner,
  ): Promise<void> {
    const changed = delivered.flatMap((item) =>
      item.formerMicros === null ? [] : [{ ...item, formerMicros: item.formerMicros }],
    );
    await this.effects.carry(reader, changed, tx);
    await this.effects.reopen(
      reader.id,
      changed.filter(({ makesUnread }) => makesUnread).map(({ itemId }) => itemId),
      tx,
    );
    const hasRules = delivered.some((one) => one.hasRules);
    const set = hasRules ? await this.sets.of(reader.id, tx) : null;
    if (set === null) {
      return;
    }
    const completed = changed.filter(({ isCompleted }) => isCompleted);
    const news =
      completed.length === 0
        ? new Set<number>()
        : await this.effects.afterFirstDocument(reader.id, completed, tx);
    const questions: Question[] = [];
    await this.#carryOut(
      reader,
      delivered.map((item) => ({
        ...item,
        isNew: item.formerMicros === null,
        isNews: item.isNews || news.has(item.itemId),
      })),
      set,
      tx,
      questions,
    );
    if (questions.length > 0) {
      await this.questions.service?.ask(reader.id, questions, tx);
      reader.afterCommit.push(() => this.questions.service?.wake());
    }
  }

  async #carryOut(
    reader: LockedReader,
    items: readonly AskedItem[],
    set: RuleSet,
    tx: SqlRunner,
    questions?: Question[],
  ): Promise<number> {
    const planned = await this.plans.withinLimits(
      reader.id,
      await this.plans.of(reader.id, items, set, tx, questions),
      tx,
    );
    if (planned.length > 0) {
      await this.effects.carryOut(reader, planned, tx);
      const notices = planned.flatMap((one) => one.notices);
      if (notices.length > 0) {
        const jobs = await this.notices.put(reader, notices, tx);
        reader.afterCommit.push(() => this.told.soon(jobs));
      }
    }
    return planned.filter(({ isChanged }) => isChanged).length;
  }
}
