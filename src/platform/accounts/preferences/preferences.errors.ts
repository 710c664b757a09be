import { invalid } from '../../../common/errors/domain-error.js';

/** @param rule continues the sentence: `must be …` */
export class InvalidPreference extends invalid(
  (area: string, name: string, rule: string) => `The preference "${name}" of "${area}" ${rule}.`,
) {}

export class TooManyPreferences extends invalid(
  (area: string, mostBytes: number) =>
    `The preferences of "${area}" would take more than ${mostBytes} bytes.`,
) {}
