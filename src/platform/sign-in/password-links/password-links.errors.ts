import { DomainError, errorOf } from '../../../common/errors/domain-error.js';

export class PasswordLinkNotFound extends errorOf(
  'not-found',
  'The link was used, was replaced by a newer one, or has expired.',
) {}

export class TooManyPasswordLinks extends DomainError {
  readonly kind = 'too-many';

  constructor(override readonly retryAfterSeconds: number) {
    super(`Too many links were requested. Try again in ${retryAfterSeconds} s.`);
  }
}

/** An account without a password needs an address to which the link is sent. */
export class EmailRequired extends errorOf(
  'invalid',
  'An invitation needs an email address, to which the link is sent.',
) {}

/** @param reason a clause about the user or the service */
export class NotInvited extends errorOf(
  'invalid',
  (reason: string) => `No invitation was sent: ${reason}.`,
) {}
