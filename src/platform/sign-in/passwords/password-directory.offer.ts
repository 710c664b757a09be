import { Injectable } from '@nestjs/common';
import { FairTurns } from '../../../common/fair-turns.js';
import { Offer } from '../../../common/ports/offer.js';
import type { LoginAttempt } from '../../../common/ports/user-directory.js';
import type { AccountRow } from '../../accounts/users/users.repository.js';
import { TooManyVerifications } from '../../platform.errors.js';

/**
 * Turns of password verifications; their owners are networks. Networks with an earlier login wait in a lane
 * of their own.
 */
export function verificationTurns(atOnce: number): FairTurns {
  const most = { atOnce, atOnceOfOwner: atOnce, waiting: 200, waitingOfOwner: 50 };
  return new FairTurns(most, () => new TooManyVerifications());
}

/** Verifier of a password. `either`: the service, then the directory. */
export type Verifier = 'service' | 'directory' | 'either';

/** The turn of an attempt, which counts for the throttle. */
export interface VerificationTurn {
  /** Whether it waits in the lane for networks with an earlier login. */
  readonly isKnown: boolean;
  begin(): Promise<void>;
  /** The credentials are wrong. */
  refuse(): Promise<void>;
}

/** A directory that verifies the passwords of its users itself. */
export interface PasswordDirectory {
  /** @param account null for a name without an account that can log in */
  verifierOf(account: AccountRow | null): Promise<Verifier>;

  /** @returns null for wrong credentials, and for users without an account that they may have */
  authenticate(attempt: LoginAttempt, turn: VerificationTurn): Promise<AccountRow | null>;
}

/** Empty: all passwords are verified here. */
@Injectable()
export class PasswordDirectoryOffer extends Offer<PasswordDirectory> {}
