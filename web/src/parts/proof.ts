import { requestOcs } from '../host/http.js';
import { askForPasskey, type PasskeyAnswer } from './passkey.js';

/** A proof of the user's identity: exactly one of the fields. */
export interface Proof {
  readonly password?: string;
  /** Code of an authenticator app, or a recovery code. */
  readonly code?: string;
  readonly passkey?: PasskeyAnswer;
}

/** The proof that the user chose and entered. */
export type EnteredProof = Proof | 'passkey';

/** Asks for the passkey if the user chose it. @returns null when the user cancels that */
export async function completed(entered: EnteredProof): Promise<Proof | null> {
  if (entered !== 'passkey') {
    return entered;
  }
  const path = '/core/proof/passkey';
  const passkey = await askForPasskey(
    await requestOcs<PublicKeyCredentialRequestOptionsJSON>(path, { method: 'POST' }),
  );
  return passkey && { passkey };
}
