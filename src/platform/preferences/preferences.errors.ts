import { DomainError } from '../../common/errors/domain-error.js';

export class InvalidPreference extends DomainError {
  readonly kind = 'invalid';

  /** @param rule continues the sentence: `must be …` */
  constructor(area: string, name: string, rule: string) {
    super(`The preference "${name}" of "${area}" ${rule}.`);
  }
}

export class TooManyPreferences extends DomainError {
  readonly kind = 'invalid';

  constructor(area: string, mostBytes: number) {
    super(`The preferences of "${area}" would take more than ${mostBytes} bytes.`);
  }
}
