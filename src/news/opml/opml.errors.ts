import { DomainError } from '../../common/errors/domain-error.js';

/** The file as a whole cannot be imported; the message says why. Nothing of it was. */
export class UnreadableOpml extends DomainError {
  readonly kind = 'invalid';
}
