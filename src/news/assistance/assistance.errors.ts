import { DomainError, errorOf } from '../../common/errors/domain-error.js';

/** No external app offers the requested work. */
export class NoAssistance extends DomainError {
  readonly kind = 'unavailable';
}

/** An external app failed; the message is the reason. */
export class AssistanceFailed extends DomainError {
  readonly kind = 'unavailable';
}

/** Others may look at a request, but only its maker may cancel it. */
export class NotYourRequest extends errorOf(
  'forbidden',
  'Somebody else made this request; only they can cancel it.',
) {}

/** The item has no text or recording to work on. */
export class NothingToWorkOn extends DomainError {
  readonly kind = 'invalid';
}

export class TooMuchAssistance extends errorOf(
  'too-many',
  (most: number) => `There are ${most} requests of yours at work already; wait for one of them.`,
  { retryAfterSeconds: 30 },
) {}

export class AssistanceNotFound extends errorOf(
  'not-found',
  (id: number) => `There is no such request ${id} for this item.`,
) {}
