import { invalid, notFound } from '../../../common/errors/domain-error.js';

export class RuleNotFound extends notFound((ruleId: number) => `There is no rule ${ruleId}.`) {}

export class InvalidRule extends invalid((rule: string) => `The rule ${rule}.`) {}
