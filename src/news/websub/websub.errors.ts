import { DomainError } from '../../common/errors/domain-error.js';

/** A hub takes this answer as a refusal. */
export class UnknownSubscription extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('There is no such subscription.');
  }
}
