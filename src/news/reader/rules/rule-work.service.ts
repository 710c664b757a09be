import { Injectable } from '@nestjs/common';
import type { RuleAction } from '../../tables/rule.entity.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { ClockRules } from './clock-rules.service.js';
import { RuleEffectsRepository, type ListedEffect } from './rule-effects.repository.js';
import { RuleMoments } from './rule-moments.service.js';
import { RuleTrials, type Application, type Trial } from './rule-trials.service.js';
import { RuleNotFound } from './rules.errors.js';
import { RulesRepository, type Rule } from './rules.repository.js';
import { toUnsavedRule, type GivenRule } from './rules.service.js';

/** Items whose effects one transaction undoes. */
const ITEMS_PER_UNDO = 2000;

/** What the clock does to what is there, in one request; its hourly run does the rest. */
const CLOCK_MS = 5000;

/** Of a rule that is tried: as if no item had it. */
const UNKNOWN_LABEL: RuleAction = { type: 'label', labelIds: [-1], createdIds: [] };

/** What rules would do, and what they did. @see docs/news-api.md "Rules" */
@Injectable()
export class RuleWork {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly rules: RulesRepository,
    private readonly effects: RuleEffectsRepository,
    private readonly moments: RuleMoments,
    private readonly trials: RuleTrials,
    private readonly clock: ClockRules,
  ) {}

  /**
   * What a rule would have done in the last 30 days; it need not be saved.
   *
   * @throws InvalidRule, QueryError
   */
  async try(reader: Reader, given: GivenRule): Promise<Trial> {
    const { places } = await this.moments.of(reader.id, []);
    const actions = given.actions.map((action): RuleAction =>
      action.type === 'label' ? UNKNOWN_LABEL : action,
    );
    return this.trials.try(reader, toUnsavedRule({ ...given, actions }, places, null));
  }

  /** @throws RuleNotFound, InvalidRule */
  async trySaved(reader: Reader, ruleId: number): Promise<Trial> {
    return this.trials.try(reader, await this.#find(reader, ruleId));
  }

  /**
   * Does what a rule wants to the items there are, newest first, as far as it comes.
   *
   * @param beforeId exclusive, `next` of a former one; null begins with the newest
   * @throws RuleNotFound, InvalidRule
   */
  async apply(reader: Reader, ruleId: number, beforeId: number | null): Promise<Application> {
    const rule = await this.#find(reader, ruleId);
    const { changed, next } = await this.trials.apply(reader, rule, beforeId);
    if (next !== null || !rule.hasClock) {
      return { changed, next };
    }
    const deadline = performance.now() + CLOCK_MS;
    const isOver = () => performance.now() > deadline;
    return { changed: changed + (await this.clock.runRule(reader, rule, isOver)), next };
  }

  /**
   * Undoes what a rule did in the last 30 days, where nobody else changed the item since. In batches.
   *
   * @returns how many items
   * @throws RuleNotFound
   */
  async undo(reader: Reader, ruleId: number): Promise<number> {
    await this.#find(reader, ruleId);
    let undone = 0;
    for (let after: number | null = 0; after !== null;) {
      const afterItemId: number = after;
      after = await this.readers.change(reader, async (tx, reader) => {
        const batch = await this.effects.undo(reader, ruleId, afterItemId, ITEMS_PER_UNDO, tx);
        undone += batch?.undone ?? 0;
        return batch?.lastItemId ?? null;
      });
    }
    return undone;
  }

  /** What a rule did, newest first. @throws RuleNotFound */
  async effectsOf(
    reader: Reader,
    ruleId: number,
    beforeId: number | null,
    limit: number,
  ): Promise<ListedEffect[]> {
    await this.#find(reader, ruleId);
    return this.effects.list(reader.id, ruleId, beforeId, limit);
  }

  /** @throws RuleNotFound */
  async #find(reader: Reader, ruleId: number): Promise<Rule> {
    const rules = await this.rules.list(reader.id);
    return RuleNotFound.unless(
      rules.find(({ id }) => id === ruleId),
      ruleId,
    );
  }
}
