/* WebAuthn in this browser. */

/** The answer of an authenticator, as the service takes it. */
export type PasskeyAnswer = ReturnType<PublicKeyCredential['toJSON']>;

/** False in old browsers, and at addresses that are neither HTTPS nor this machine. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential !== 'undefined' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

/**
 * Has an authenticator make a passkey; the browser asks the user.
 *
 * @returns null when the user cancels, and when it took too long
 */
export async function makePasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<PasskeyAnswer | null> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return orNull(navigator.credentials.create({ publicKey }));
}

/** Asks for a passkey. @returns as `makePasskey` */
export async function askForPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
): Promise<PasskeyAnswer | null> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return orNull(navigator.credentials.get({ publicKey }));
}

async function orNull(asked: Promise<Credential | null>): Promise<PasskeyAnswer | null> {
  try {
    return ((await asked) as PublicKeyCredential | null)?.toJSON() ?? null;
  } catch {
    // Cancelled, timed out, or the authenticator has one for this user already.
    return null;
  }
}
