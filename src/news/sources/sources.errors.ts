import { DomainError, errorOf } from '../../common/errors/domain-error.js';

/** The given text cannot be the address of a feed. The message never repeats it: it may hold a password. */
export class InvalidFeedAddress extends DomainError {
  readonly kind = 'invalid';
}

/** The document at the address is not a readable feed; the message says what was found. */
export class FeedUnreadable extends DomainError {
  readonly kind = 'invalid';
}

export class SourceNotFound extends errorOf(
  'not-found',
  (sourceId: number) => `There is no source ${sourceId}.`,
) {}
