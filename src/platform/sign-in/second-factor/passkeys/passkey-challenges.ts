import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Clock } from '../../../../common/clock.js';
import { SecretBox } from '../../../../common/secrets/secret-box.js';

/** What an answer is for. One that was given for something else is refused. */
export type ChallengePurpose = 'registration' | 'login' | 'second factor' | 'proof';

const Challenge = z.object({
  purpose: z.string(),
  /** Null for a login: the passkey names the user. */
  userId: z.string().nullable(),
  madeMs: z.number(),
});

const SEALED_FOR = 'challenge of a passkey';

/** As long as browsers wait for the user. */
export const CHALLENGE_LIVES_SECONDS = 300;

/**
 * Challenges that authenticators sign. Sealed instead of stored, so that nobody can make rows; an
 * accepted answer makes its own and all older challenges of the passkey useless.
 *
 * @see docs/decisions/0070-passkeys.md
 */
@Injectable()
export class PasskeyChallenges {
  constructor(
    private readonly secretBox: SecretBox,
    private readonly clock: Clock,
  ) {}

  make(purpose: ChallengePurpose, userId: string | null): Uint8Array<ArrayBuffer> {
    const content = { purpose, userId, madeMs: this.clock.now().getTime() };
    return new Uint8Array(this.secretBox.seal(JSON.stringify(content), SEALED_FOR));
  }

  /**
   * @param challenge in base64url, as it was signed
   * @returns when it was made, in Unix milliseconds; null for an old or foreign one
   */
  open(challenge: string, purpose: ChallengePurpose, userId: string | null): number | null {
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
