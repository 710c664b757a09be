import { DomainError } from '../../common/errors/domain-error.js';

export class PasswordLinkNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('The link was used, was replaced by a newer one, or has expired.');
  }
}

export class TooManyPasswordLinks extends DomainError {
  readonly kind = 'too-many';

  constructor(override readonly retryAfterSeconds: number) {
    super(`Too many links were requested. Try again in ${retryAfterSeconds} s.`);
  }
}

/** An account without a password needs an address to which the link is sent. */
export class EmailRequired extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super('An invitation needs an email address, to which the link is sent.');
  }
}

export class NotInvited extends DomainError {
  readonly kind = 'invalid';

  /** @param reason a clause about the user or the service */
  constructor(reason: string) {
    super(`No invitation was sent: ${reason}.`);
  }
}
