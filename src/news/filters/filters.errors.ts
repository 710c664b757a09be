import { DomainError } from '../../common/errors/domain-error.js';

export class InvalidFilter extends DomainError {
  readonly kind = 'invalid';

  constructor(rule: string) {
    super(`The filter is not valid: ${rule}.`);
  }
}
