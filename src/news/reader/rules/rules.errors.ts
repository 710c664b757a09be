import { forbidden, invalid, notFound } from '../../../common/errors/domain-error.js';

export class RuleNotFound extends notFound((ruleId: number) => `There is no rule ${ruleId}.`) {}

export class InvalidRule extends invalid((rule: string) => `The rule ${rule}.`) {}

export class RuleOfGroup extends forbidden(
  (group: string) => `This rule is that of the group "${group}", whose editors change it.`,
) {}
