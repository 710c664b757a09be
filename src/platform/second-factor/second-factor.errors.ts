import { DomainError } from '../../common/errors/domain-error.js';

/** The password was right, but is not enough. Programs use app passwords instead. */
export class SecondFactorRequired extends DomainError {
  readonly kind = 'unauthenticated';

  /** @param isMissing whether the account has none yet */
  constructor(isMissing: boolean) {
    super(
      isMissing
        ? 'This account needs a second factor: log in with a browser to set it up. Programs need an app password.'
        : 'This account has a second factor. Programs need an app password: make one in the browser, in Settings → Security.',
    );
  }
}

export class WrongCode extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('The code is wrong, or was used before.');
  }
}

/** Neither the password nor a code, or a wrong one. */
export class ProofRefused extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('The password is wrong.');
  }
}

export class TotpAlreadySetUp extends DomainError {
  readonly kind = 'conflict';

  constructor() {
    super('An authenticator app is set up already. Remove it first.');
  }
}

export class NoSecondFactor extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('This account has no second factor.');
  }
}
