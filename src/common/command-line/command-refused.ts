import { DomainError } from '../errors/domain-error.js';

/** Invalid use of a command; the message has the remedy. */
export class CommandRefused extends DomainError {
  readonly kind = 'invalid';
}
