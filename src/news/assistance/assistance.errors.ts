import {
  forbidden,
  invalid,
  notFound,
  tooMany,
  unavailable,
} from '../../common/errors/domain-error.js';

/** No external app offers the requested work. */
export class NoAssistance extends unavailable() {}

/** An external app failed; the message is the reason. */
export class AssistanceFailed extends unavailable() {}

/** Other users may read a request, but only its creator may cancel it. */
export class NotYourRequest extends forbidden(
  'Somebody else made this request; only they can cancel it.',
) {}

/** The item has no text or recording to work on. */
export class NothingToWorkOn extends invalid() {}

export class TooMuchAssistance extends tooMany(
  (most: number) => `There are ${most} requests of yours at work already; wait for one of them.`,
  { retryAfterSeconds: 30 },
) {}

export class AssistanceNotFound extends notFound(
  (id: number) => `There is no such request ${id} for this item.`,
) {}
