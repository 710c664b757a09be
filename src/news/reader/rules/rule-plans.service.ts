import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import type { SqlRunner } from '../../../database/database.js';
import type { QueriedArticle } from '../../query/query.js';
import type { Question } from '../delivery/questions.js';
import { QueriedArticlesRepository } from '../items/queried-articles.repository.js';
import { LabelsRepository } from '../labels/labels.repository.js';
import { effectsOn, type ItemEffects } from './rule-effects.js';
import { RuleEffectsRepository } from './rule-effects.repository.js';
import { RuleMoments } from './rule-moments.service.js';
import type { RuleSet } from './rule-set.js';
import type { Rule } from './rules.repository.js';

/** What comes later to an item than this is told no more. */
const LATEST_COMPLETION_MICROS = 48 * 3600 * 1_000_000;

/** Rules that were asked about an item. */
export interface Asked {
  readonly article: QueriedArticle;
  readonly rules: readonly Rule[];
}

/** An item that rules are asked about. */
export interface AskedItem {
  readonly itemId: number;
  readonly isNew: boolean;
  /** Whether it may be told. */
  readonly isNews: boolean;
}

/** Asks rules about items. */
@Injectable()
export class RulePlans {
  constructor(
    private readonly articles: QueriedArticlesRepository,
    private readonly effects: RuleEffectsRepository,
    private readonly moments: RuleMoments,
    private readonly labels: LabelsRepository,
    private readonly config: Config,
  ) {}

  /**
   * What rules want of items; of those that are left alone, nothing.
   *
   * @param questions gets those whose answers decide and are not known
   */
  async of(
    readerId: number,
    items: readonly AskedItem[],
    set: RuleSet,
    tx?: SqlRunner,
    questions: Question[] = [],
  ): Promise<ItemEffects[]> {
    const now = this.moments.now();
    const unanswered = new Map<string, Question>();
    const asked = await this.ask(
      readerId,
      items.map(({ itemId }) => itemId),
      (article, itemId) => {
        const answerTo = (question: string) => {
          const answer = article.answerTo(question);
          if (answer === null) {
            unanswered.set(`${itemId} ${question}`, { itemId, question });
          }
          return answer;
        };
        return set.matching({ ...article, answerTo }, now);
      },
      tx,
    );
    questions.push(...unanswered.values());
    return this.ofAsked(readerId, items, asked, tx);
  }

  /** The rules that match items; null for none. */
  async ask(
    readerId: number,
    itemIds: readonly number[],
    matching: (article: QueriedArticle, itemId: number) => readonly Rule[],
    tx?: SqlRunner,
    isOver?: () => boolean,
  ): Promise<Map<number, Asked | null>> {
    return this.articles.ask<Asked | null>(
      readerId,
      itemIds,
      (article, { itemId }) => {
        const rules = matching(article, itemId);
        // Without the text, of which there would be thousands.
        return rules.length === 0 ? null : { article: { ...article, text: () => '' }, rules };
      },
      tx,
      isOver,
    );
  }

  async ofAsked(
    readerId: number,
    items: readonly AskedItem[],
    asked: ReadonlyMap<number, Asked | null>,
    tx?: SqlRunner,
  ): Promise<ItemEffects[]> {
    const matched = items.filter(({ itemId }) => (asked.get(itemId) ?? null) !== null);
    const olderIds = matched.filter(({ isNew }) => !isNew).map(({ itemId }) => itemId);
    const older = await this.effects.items(readerId, olderIds, tx);
    const done = await this.effects.done(readerId, olderIds, tx);
    const states = new Map(older.map((one) => [one.itemId, one]));
    const doneTo = Map.groupBy(done, ({ itemId }) => itemId);
    const latest = this.moments.nowMicros() - LATEST_COMPLETION_MICROS;
    return matched.flatMap(({ itemId, isNew, isNews }) => {
      const found = asked.get(itemId);
      const state = states.get(itemId);
      if (found === undefined || found === null || (!isNew && state === undefined)) {
        return [];
      }
      const effects = effectsOn({
        itemId,
        ...found,
        older: state === undefined ? null : { ...state, done: doneTo.get(itemId) ?? [] },
        isNews: isNews && (state === undefined || state.arrivedMicros > latest),
      });
      return effects.effects.length > 0 ? [effects] : [];
    });
  }

  /** Leaves out labels beyond the limits of the user, and of an item. */
  async withinLimits(
    readerId: number,
    planned: readonly ItemEffects[],
    tx: SqlRunner,
  ): Promise<ItemEffects[]> {
    if (planned.every(({ labelIds }) => labelIds.length === 0)) {
      return [...planned];
    }
    const most = this.config.limits['labels-on-items-per-user'];
    let room = most - (await this.labels.countOnItems(readerId, most, tx));
    return planned.map((item) => {
      const labelIds = item.labelIds.slice(
        0,
        Math.min(room, this.config.limits['labels-per-item']),
      );
      room -= labelIds.length;
      const left = item.labelIds.filter((id) => !labelIds.includes(id));
      return left.length === 0
        ? item
        : {
            ...item,
            labelIds,
            effects: item.effects.filter(({ labelId }) => !left.includes(labelId)),
          };
    });
  }
}
