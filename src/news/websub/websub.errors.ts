import { DomainError } from '../../common/errors/domain-error.js';

/** Nothing is expected at this address, or not this; a hub takes that for a refusal. */
export class NotAskedFor extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('This was not asked for.');
  }
}
