import { invalid, notFound } from '../../../../common/errors/domain-error.js';

export class PasskeyNotFound extends notFound((id: number) => `You have no passkey ${id}.`) {}

/** For instance the answer of an authenticator that is registered already. */
export class PasskeyNotRegistered extends invalid(
  'The passkey could not be added: it took too long, or it was added before.',
) {}
