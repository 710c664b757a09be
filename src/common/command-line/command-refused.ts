import { DomainError } from '../errors/domain-error.js';

/** The command as it was typed cannot be carried out; the message says what would help. */
export class CommandRefused extends DomainError {
  readonly kind = 'invalid';
}
