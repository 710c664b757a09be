import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { SqlRunner } from '../../../database/database.js';
import type { UserPlaces } from '../../query/query.js';
import type { GroupRuleAction } from '../../tables/group-folder.entity.js';
import type { RuleAction } from '../../tables/rule.entity.js';
import { EarlyReadersRepository } from '../delivery/early-readers.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { LabelsService } from '../labels/labels.service.js';
import { NoticesRepository } from '../notices/notices.repository.js';
import { labelsMadeBy } from './rule-set.js';
import { RulesRepository, type Rule } from './rules.repository.js';
import { labelsLeftBy, toUnsavedRule } from './rules.service.js';

/** A rule of a group. */
export interface GroupRule {
  readonly id: number;
  readonly name: string;
  /** Names no feeds, folders, labels and searches: these are each member's own. */
  readonly query: string;
  readonly actions: readonly GroupRuleAction[];
}

/** A rule of a group, as a member gets it. */
export interface MemberRule extends GroupRule {
  readonly folderId: number;
  readonly groupName: string;
  /** Of the member, from the group's folder. */
  readonly feedIds: readonly number[];
}

const NO_PLACES: UserPlaces = { feed: [], folder: [], label: [], search: [] };

/** Of a label that each member has, or gets. */
const UNKNOWN_LABEL_ID = -1;

/** @throws InvalidRule, QueryError */
export function readGroupRule({ id, name, query, actions }: GroupRule): Rule {
  const tried = actions.map((action) => toRuleAction(action, [UNKNOWN_LABEL_ID], []));
  return { ...toUnsavedRule({ name, query, actions: tried }, NO_PLACES, null), id };
}

/** Rules that groups give to readers: with the ids that they have there, before one's own. */
@Injectable()
export class GivenRules {
  constructor(
    private readonly rules: RulesRepository,
    private readonly labels: LabelsService,
    private readonly notices: NoticesRepository,
    private readonly early: EarlyReadersRepository,
  ) {}

  /**
   * Replaces what groups give to a reader. What rules did that are not given any more stays.
   *
   * @param given in their order
   */
  async replace(reader: LockedReader, given: readonly MemberRule[], tx: SqlRunner): Promise<void> {
    const before = await this.rules.list(reader.id, tx);
    const former = before.filter(({ groupFolderId }) => groupFolderId !== null);
    const present: Rule[] = [];
    for (const [n, one] of given.entries()) {
      const known = former.find(({ id }) => id === one.id);
      const rule = await this.#toRule(reader, one, known, tx);
      if (rule.actions.length > 0) {
        present.push({ ...rule, place: n - given.length });
      }
    }
    const own = before.filter(({ groupFolderId }) => groupFolderId === null);
    const gone = former.filter(({ id }) => !present.some((one) => one.id === id));
    for (const rule of present) {
      await this.rules.save(reader, rule, tx);
    }
    for (const { id } of gone) {
      await this.rules.remove(reader.id, id, tx);
      await this.notices.withdraw(reader.id, id, tx);
    }
    const tell = (rules: readonly Rule[]) => rules.some(({ tells, enabled }) => tells && enabled);
    if (tell(former) || tell(present)) {
      await this.early.set(reader, 'tells', tell([...own, ...present]), tx);
    }
    const left = labelsLeftBy(gone, [...own, ...present]);
    await this.rules.removeUnusedLabels(reader.id, left, tx);
  }

  async #toRule(
    reader: LockedReader,
    given: MemberRule,
    known: Rule | undefined,
    tx: SqlRunner,
  ): Promise<Rule> {
    const actions: RuleAction[] = [];
    for (const action of given.actions) {
      const names = action.type === 'label' ? action.names : [];
      const { ids, createdIds } = await this.#labelsNamed(reader, names, tx);
      const created = labelsMadeBy(known?.actions ?? []).filter((id) => ids.includes(id));
      if (action.type !== 'label' || ids.length > 0) {
        actions.push(toRuleAction(action, ids, [...created, ...createdIds]));
      }
    }
    const rule = readGroupRule(given);
    return {
      ...rule,
      actions,
      scope: { ...rule.scope, feedIds: given.feedIds },
      groupFolderId: given.folderId,
      groupName: given.groupName,
    };
  }

  /** None for a member who has no room for them. */
  async #labelsNamed(reader: LockedReader, names: readonly string[], tx: SqlRunner) {
    try {
      return await this.labels.idsOf(reader, names, tx);
    } catch (error) {
      if (error instanceof DomainError) {
        return { ids: [], createdIds: [] };
      }
      throw error;
    }
  }
}

function toRuleAction(
  action: GroupRuleAction,
  labelIds: readonly number[],
  createdIds: readonly number[],
): RuleAction {
  switch (action.type) {
    case 'label':
      return { type: 'label', labelIds, createdIds };
    case 'notify':
      return { type: 'notify', urgent: false, channelIds: null };
    default:
      return { type: action.type };
  }
}
