import { forbidden, notFound, tooMany } from '../../common/errors/domain-error.js';

/** The same for an address that never was, one that was taken back, and one whose user is gone. */
export class FeedOutNotFound extends notFound('There is nothing at this address.') {}

export class FeedsOutAreOff extends forbidden(
  'Lists cannot be published: the administrator has switched it off.',
) {}

export class PublishInPerson extends forbidden(
  'Lists are published in a browser or with the account password only.',
) {}

export class PrivateArticle extends forbidden(
  'This article cannot be published: it comes from a feed with credentials, or was added by you or an app.',
) {}

export class ReadTooOften extends tooMany(
  (most: number) => `This list was read ${most} times within a minute; try again later.`,
  { retryAfterSeconds: 60 },
) {}
