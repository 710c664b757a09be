import { DomainError } from '../errors/domain-error.js';

/** A refused command; the message has the remedy. */
export class CommandRefused extends DomainError {
  readonly kind = 'invalid';
}

/** Invalid arguments or options of a command. */
export class CommandMisused extends CommandRefused {}
