import { DomainError } from '../../common/errors/domain-error.js';

/** A document no feed could be read from. The message says what is wrong with it. */
export class UnreadableDocument extends DomainError {
  readonly kind = 'invalid';
}
