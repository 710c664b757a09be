import { DomainError } from '../../common/errors/domain-error.js';

export class InvalidSearch extends DomainError {
  readonly kind = 'invalid';

  constructor(rule: string) {
    super(`The search ${rule}.`);
  }
}
