import { Injectable } from '@nestjs/common';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ClockRules } from './clock-rules.service.js';
import { RuleTrials, type Application } from './rule-trials.service.js';
import { RuleNotFound } from './rules.errors.js';
import { RulesRepository } from './rules.repository.js';

/** What the clock does to what is there, in one request; its hourly run does the rest. */
const CLOCK_MS = 5000;

/** Rules applied to what is there, by requests of some seconds. */
@Injectable()
export class RuleApplications {
  constructor(
    private readonly rules: RulesRepository,
    private readonly trials: RuleTrials,
    private readonly clock: ClockRules,
  ) {}

  /**
   * Does what a rule wants to the items there are, newest first, as far as it comes.
   *
   * @param beforeId exclusive, `next` of a former one; null begins with the newest
   * @throws RuleNotFound, InvalidRule
   */
  async apply(reader: Reader, ruleId: number, beforeId: number | null): Promise<Application> {
    const rules = await this.rules.list(reader.id);
    const rule = RuleNotFound.unless(
      rules.find(({ id }) => id === ruleId),
      ruleId,
    );
    const { changed, next } = await this.trials.apply(reader, rule, beforeId);
    if (next !== null || !rule.hasClock) {
      return { changed, next };
    }
    const deadline = performance.now() + CLOCK_MS;
    const isOver = () => performance.now() > deadline;
    return { changed: changed + (await this.clock.runRule(reader, rule, isOver)), next };
  }
}
