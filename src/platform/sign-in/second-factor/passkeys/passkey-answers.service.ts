import { Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { Clock } from '../../../../common/clock.js';
import { SecretBox } from '../../../../common/secrets/secret-box.js';
import type { PasskeyPlace } from '../../forms/passkey-place.service.js';

/** Purpose of an answer; refused for another purpose. */
export type ChallengePurpose = 'registration' | 'login' | 'second factor' | 'proof';

const Challenge = z.object({
  purpose: z.string(),
  /** Null for a login: the passkey names the user. */
  userId: z.string().nullable(),
  madeMs: z.number(),
});

const SEALED_FOR = 'challenge of a passkey';

/** Matches the timeout of browsers. */
export const CHALLENGE_LIVES_SECONDS = 300;

/** A passkey as an authenticator has just made it. */
export interface NewPasskey {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly rpId: string;
  readonly transports: string[];
  readonly signatureCount: number;
}

/** The key and counter to check a signature. */
type KnownPasskey = Omit<NewPasskey, 'transports'>;

/** Contents of an accepted answer. */
export interface PasskeyUse {
  readonly signatureCount: number;
  /** Time of the signed challenge, in Unix milliseconds. */
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
  constructor(
    private readonly secretBox: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** @returns null for an answer that is not valid */
  async verifyNew(
    response: RegistrationResponseJSON,
    { place, purpose, userId }: Expected,
  ): Promise<NewPasskey | null> {
    const { verifyRegistrationResponse } = await webauthn();
    const verified = await orNull(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge: (challenge) => this.#open(challenge, purpose, userId) !== null,
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
          challengeMs = this.#open(challenge, purpose, userId);
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

  /**
   * A challenge to sign. Sealed instead of stored, so that requests create no rows; an accepted answer
   * invalidates its own and all older challenges of the passkey.
   *
   * @see docs/decisions/0070-passkeys.md
   */
  challenge(purpose: ChallengePurpose, userId: string | null): Uint8Array<ArrayBuffer> {
    const content = { purpose, userId, madeMs: this.clock.now().getTime() };
    return new Uint8Array(this.secretBox.seal(JSON.stringify(content), SEALED_FOR));
  }

  /**
   * @param challenge in base64url, as it was signed
   * @returns when it was made, in Unix milliseconds; null for an old or foreign one
   */
  #open(challenge: string, purpose: ChallengePurpose, userId: string | null): number | null {
    const found = this.#read(challenge);
    const isMeant = found?.purpose === purpose && found.userId === userId;
    const oldestMs = this.clock.now().getTime() - CHALLENGE_LIVES_SECONDS * 1000;
    return isMeant && found.madeMs >= oldestMs ? found.madeMs : null;
  }

  #read(challenge: string): z.output<typeof Challenge> | null {
    try {
      const plain = this.secretBox.open(Buffer.from(challenge, 'base64url'), SEALED_FOR);
      return Challenge.parse(JSON.parse(plain));
    } catch {
      // Not ours, or sealed with another key.
      return null;
    }
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
