import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { networkOf } from '../../../common/http/client-network.js';
import type { LoginAttempt } from '../../../common/ports/user-directory.js';
import { PasswordHash } from '../../accounts/passwords/password-hash.service.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import type { AccountRow } from '../../accounts/users/users.repository.js';
import { SignInSettings } from '../sign-in.settings.js';
import { LoginThrottle, type Admission } from '../throttle/login-throttle.service.js';
import { CredentialDigests, type TriedCredential } from './credential-digests.js';
import {
  PasswordDirectoryOffer,
  type VerificationTurn,
  verificationTurns,
} from './password-directory.offer.js';

// Hashes run in Node's small thread pool, which files and name look-ups need too.
const MOST_HASHES = 2;

const REFUSED_SECONDS = 3600;

/** Verifies account passwords, here or by the directory, and counts failures. */
@Injectable()
export class CredentialVerifier {
  readonly #turns = verificationTurns(MOST_HASHES);
  readonly #refused: CredentialDigests;

  constructor(
    private readonly passwordHash: PasswordHash,
    private readonly directory: PasswordDirectoryOffer,
    private readonly throttle: LoginThrottle,
    private readonly events: SecurityEventsService,
    private readonly settings: SignInSettings,
    clock: Clock,
  ) {
    this.#refused = new CredentialDigests(clock);
  }

  /**
   * @param account of the name; null without one that can log in
   * @returns the account that the credentials are right for
   * @throws DirectoryUnavailable; not counted as a failure
   */
  async verify(attempt: LoginAttempt, account: AccountRow | null): Promise<AccountRow | null> {
    const { userId, clientAddress } = attempt;
    // A program with an old password sends it again and again, which is not another guess.
    if (this.#refused.has(triedBy(attempt, account))) {
      return null;
    }
    let admission = await this.throttle.admit(userId, clientAddress);
    // Both run during the attempt's turn, so that concurrent guesses see earlier failures.
    const turn: VerificationTurn = {
      isKnown: admission.isKnown,
      begin: async () => {
        admission = await this.throttle.admit(userId, clientAddress);
      },
      refuse: () => this.#failed(admission, account, clientAddress),
    };
    const verified = await this.#verified(attempt, account, turn);
    // With a second factor, only the right code resets the counters: an attacker who knows the password
    // could reset them between guesses of codes.
    if (verified !== null && !verified.hasSecondFactor) {
      await this.throttle.succeeded(admission);
    }
    return verified;
  }

  async #verified(
    attempt: LoginAttempt,
    account: AccountRow | null,
    turn: VerificationTurn,
  ): Promise<AccountRow | null> {
    const isTaken = this.settings.takesPasswordOf(account?.userId ?? attempt.userId);
    const keptBy = (await this.directory.service?.verifierOf(account)) ?? 'service';
    const verifier = keptBy === 'either' && !isTaken ? 'directory' : keptBy;
    if (verifier === 'directory') {
      return this.directory.required.authenticate(attempt, turn);
    }
    const verified = await this.#turns.run(networkOf(attempt.clientAddress), async () => {
      await turn.begin();
      // What is not taken is refused like a wrong password, in the same time.
      const hash = isTaken ? (account?.passwordHash ?? null) : null;
      const matches = await this.passwordHash.matches(attempt.password, hash);
      if (!matches && verifier === 'service') {
        await turn.refuse();
        this.#refused.remember(triedBy(attempt, account), REFUSED_SECONDS);
      }
      return matches ? account : null;
    });
    return verified === null && verifier === 'either'
      ? this.directory.required.authenticate(attempt, turn)
      : verified;
  }

  async #failed(admission: Admission, account: AccountRow | null, address: string): Promise<void> {
    const userId = account?.userId;
    const details = account === null ? 'no such user, or disabled' : undefined;
    await this.events.record({ kind: 'login_failed', userId, address, details });
    if (await this.throttle.failed(admission)) {
      await this.events.record({ kind: 'login_throttled', userId, address });
    }
  }
}

/** The guess; the same from another network is another one. */
function triedBy(
  { userId, password, clientAddress }: LoginAttempt,
  account: AccountRow | null,
): TriedCredential {
  const passwordHash = account?.passwordHash ?? null;
  return { userId, password, passwordHash, network: networkOf(clientAddress) };
}
