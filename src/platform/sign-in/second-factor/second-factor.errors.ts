import {
  conflict,
  forbidden,
  notFound,
  unauthenticated,
  invalid,
} from '../../../common/errors/domain-error.js';

/**
 * The password was right, but is not enough. Programs use app passwords instead.
 *
 * @param isMissing whether the account has none yet
 */
export class SecondFactorRequired extends unauthenticated((isMissing: boolean) =>
  isMissing
    ? 'This account needs a second factor: log in with a browser to set it up. Programs need an app password.'
    : 'This account has a second factor. Programs need an app password: make one in the browser, in Settings → Security.',
) {}

/** Neither the password nor a code, or a wrong one. */
export class ProofRefused extends forbidden('The password is wrong.') {}

export class TotpAlreadySetUp extends conflict(
  'An authenticator app is set up already. Remove it first.',
) {}

export class NoSecondFactor extends notFound('This account has no second factor.') {}

export class PasskeyNotFound extends notFound((id: number) => `You have no passkey ${id}.`) {}

/** Example: the authenticator is registered already. */
export class PasskeyNotRegistered extends invalid(
  'The passkey could not be added: it took too long, or it was added before.',
) {}
