import { Injectable } from '@nestjs/common';
import { keepLatest } from '../../../common/keep-latest.js';
import type { SqlRunner } from '../../../database/database.js';
import { RuleMoments } from './rule-moments.service.js';
import { RuleSet, type RuleContext } from './rule-set.js';
import { RulesRepository, type Rule } from './rules.repository.js';

/** Of conditions that are kept prepared; each takes about 150 bytes. */
const MOST_CHARACTERS = 500_000;

/** What a rule takes besides its condition. */
const CHARACTERS_OF_A_RULE = 20;

/** The rules of a reader, prepared. */
interface Kept {
  readonly revision: string;
  /** What they refer to. */
  readonly context: string;
  readonly rules: readonly Rule[];
  readonly set: RuleSet;
  readonly characters: number;
}

/** Rules of readers, ready to be asked: prepared again only when they, or what they refer to, have changed. */
@Injectable()
export class RuleSets {
  /** By reader; the longest unused first. */
  readonly #kept = new Map<number, Kept>();
  #characters = 0;

  constructor(
    private readonly rules: RulesRepository,
    private readonly moments: RuleMoments,
  ) {}

  /** @param tx holds the lock of the reader @returns null if no rule is on */
  async of(readerId: number, tx: SqlRunner): Promise<RuleSet | null> {
    const revision = await this.rules.revision(readerId, tx);
    const former = this.#kept.get(readerId);
    const kept = former?.revision === revision ? former : null;
    if (revision === null) {
      return null;
    }
    const rules =
      kept?.rules ?? (await this.rules.list(readerId, tx)).filter(({ enabled }) => enabled);
    const moment = await this.moments.of(readerId, rules, tx);
    const context = textOf(moment);
    const set = kept?.context === context ? kept.set : await RuleSet.of(rules, moment);
    this.#keep(readerId, { revision, context, rules, set, characters: charactersOf(rules) });
    return set.isEmpty(moment.now) ? null : set;
  }

  #keep(readerId: number, kept: Kept): void {
    this.#characters += kept.characters - (this.#kept.get(readerId)?.characters ?? 0);
    keepLatest(this.#kept, readerId, kept, Infinity);
    for (const [oldest, { characters }] of this.#kept) {
      if (this.#characters <= MOST_CHARACTERS) {
        break;
      }
      this.#kept.delete(oldest);
      this.#characters -= characters;
    }
  }
}

const charactersOf = (rules: readonly Rule[]) =>
  rules.reduce((sum, { queryText }) => sum + queryText.length + CHARACTERS_OF_A_RULE, 0);

/** Equal for equal ones; names do not count. */
function textOf({ timeZone, places, channelIds }: RuleContext): string {
  const { search, ...others } = places;
  return JSON.stringify([
    timeZone,
    [...channelIds],
    Object.values(others).map((some) => some.map(({ id }) => id)),
    search.map(({ id, query }) => [id, query]),
  ]);
}
