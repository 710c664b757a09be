import { errorOf } from '../../../../common/errors/domain-error.js';

/** A wrong, old or foreign answer of an authenticator. Does not tell which. */
export class PasskeyRefused extends errorOf(
  'forbidden',
  'The passkey was not accepted. Try again.',
) {}

/** The passkey is right, but somebody else decides who may log in to the account. */
export class PasskeyNotEnough extends errorOf(
  'forbidden',
  'This passkey only confirms logins. Log in with your password or your provider first.',
) {}

export class PasskeyNotFound extends errorOf(
  'not-found',
  (id: number) => `You have no passkey ${id}.`,
) {}

/** For instance the answer of an authenticator that is registered already. */
export class PasskeyNotRegistered extends errorOf(
  'invalid',
  'The passkey could not be added: it took too long, or it was added before.',
) {}

/** Browsers have passkeys for host names only. */
export class PasskeysNeedHostName extends errorOf(
  'invalid',
  'Passkeys need a host name in the address, not an IP address. Ask an administrator for it.',
) {}
