import { invalid, notFound } from '../../common/errors/domain-error.js';

/** The given text cannot be the address of a feed. The message never repeats it: it may hold a password. */
export class InvalidFeedAddress extends invalid() {}

/** Credentials for a feed that do not go together. */
export class InvalidFeedAccess extends invalid() {}

/** The document at the address is not a readable feed; the message describes it. */
export class FeedUnreadable extends invalid() {}

export class SourceNotFound extends notFound(
  (sourceId: number) => `There is no source ${sourceId}.`,
) {}
