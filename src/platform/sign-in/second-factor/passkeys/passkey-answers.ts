import { Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { PasskeyChallenges, type ChallengePurpose } from './passkey-challenges.js';
import type { PasskeyPlace } from '../../forms/passkey-place.js';

/** A passkey as an authenticator has just made it. */
export interface NewPasskey {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly rpId: string;
  readonly transports: string[];
  readonly signatureCount: number;
}

/** What a signature is checked with. */
interface KnownPasskey {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly rpId: string;
  readonly signatureCount: number;
}

/** What an accepted answer says. */
export interface PasskeyUse {
  readonly signatureCount: number;
  /** When the signed challenge was made, in Unix milliseconds. */
  readonly challengeMs: number;
}

interface Expected {
  readonly place: PasskeyPlace;
  readonly purpose: ChallengePurpose;
  /** Null for a login. */
  readonly userId: string | null;
}

/**
 * Verifies answers of authenticators: challenge, origin, host name, signature and counter, and that the
 * authenticator has verified the user, by fingerprint or PIN for instance.
 *
 * @see https://www.w3.org/TR/webauthn-3/
 */
@Injectable()
export class PasskeyAnswers {
  constructor(private readonly challenges: PasskeyChallenges) {}

  /** @returns null for an answer that is not valid */
  async verifyNew(
    response: RegistrationResponseJSON,
    { place, purpose, userId }: Expected,
  ): Promise<NewPasskey | null> {
    const { verifyRegistrationResponse } = await webauthn();
    const verified = await orNull(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge: (challenge) => this.challenges.open(challenge, purpose, userId) !== null,
        expectedOrigin: place.origin,
        expectedRPID: place.rpId,
        requireUserVerification: true,
      }),
    );
    if (!verified?.verified) {
      return null;
    }
    const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    return {
      credentialId: Buffer.from(id, 'base64url'),
      publicKey: Buffer.from(publicKey),
      rpId: place.rpId,
      transports,
      signatureCount: counter,
    };
  }

  /** @returns null for an answer that is not valid */
  async verify(
    response: AuthenticationResponseJSON,
    passkey: KnownPasskey,
    { place, purpose, userId }: Expected,
  ): Promise<PasskeyUse | null> {
    const { verifyAuthenticationResponse } = await webauthn();
    let challengeMs: number | null = null;
    const verified = await orNull(() =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge: (challenge) => {
          challengeMs = this.challenges.open(challenge, purpose, userId);
          return challengeMs !== null;
        },
        expectedOrigin: place.origin,
        expectedRPID: place.rpId,
        requireUserVerification: true,
        credential: {
          id: passkey.credentialId.toString('base64url'),
          publicKey: new Uint8Array(passkey.publicKey),
          counter: passkey.signatureCount,
        },
      }),
    );
    return verified?.verified && challengeMs !== null
      ? { signatureCount: verified.authenticationInfo.newCounter, challengeMs }
      : null;
  }
}

/** Loaded at the first use: it is large, and many installations have no passkeys. */
export async function webauthn(): Promise<typeof import('@simplewebauthn/server')> {
  return import('@simplewebauthn/server');
}

/** The library throws an error for each part of an answer that is wrong. */
async function orNull<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}
