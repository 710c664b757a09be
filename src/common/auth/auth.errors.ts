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

export class AdministratorRequired extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('Logged in user must be an admin');
  }
}
