import { invalid, notFound, tooMany } from '../../../common/errors/domain-error.js';

export class PasswordLinkNotFound extends notFound(
  'The link was used, was replaced by a newer one, or has expired.',
) {}

export class TooManyPasswordLinks extends tooMany(
  (retryAfterSeconds: number) =>
    `Too many links were requested. Try again in ${retryAfterSeconds} s.`,
  (retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** An account without a password needs an address to which the link is sent. */
export class EmailRequired extends invalid(
  'An invitation needs an email address, to which the link is sent.',
) {}

/** @param reason a clause about the user or the service */
export class NotInvited extends invalid((reason: string) => `No invitation was sent: ${reason}.`) {}
