import { DomainError } from '../errors/domain-error.js';

/**
 * No credentials, or wrong ones: the two look the same. The text is odd on purpose: elfeed asks
 * for the password again only when the message is this one, and reports a broken server otherwise.
 */
export class CredentialsRequired extends DomainError {
  readonly kind = 'unauthenticated';

  constructor() {
    super('CORS requires basic auth');
  }
}

/** An external app's credentials are missing or wrong; nobody learns from it what is wrong. */
export class GatewayAuthenticationFailed extends DomainError {
  readonly kind = 'unauthenticated';

  constructor() {
    super('AppAPI authentication failed');
  }
}

export class TooManyGatewayFailures extends DomainError {
  readonly kind = 'too-many';

  constructor(override readonly retryAfterSeconds: number) {
    super(`Too many wrong gateway credentials. Try again in ${retryAfterSeconds} seconds.`);
  }
}

/** A browser's request changes something and does not prove that a page of ours wants it. */
export class CsrfCheckFailed extends DomainError {
  readonly kind = 'precondition-failed';

  constructor() {
    super('CSRF check failed');
  }
}

/** An administrator's app password, or an external app acting for one, cannot administer. */
export class AdministrationRefused extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super(
      'An app password or an external app cannot do this. Use a browser, the password of the account, or an app password made for administration.',
    );
  }
}

export class AdministratorRequired extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('Logged in user must be an admin');
  }
}
