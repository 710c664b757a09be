import { FairTurns } from '../../../common/fair-turns.js';
import { TooManyVerifications } from '../../platform.errors.js';

/**
 * Turns of password verifications; their owners are networks. Those that have logged in before wait in a
 * lane of their own.
 */
export function verificationTurns(atOnce: number): FairTurns {
  const most = { atOnce, atOnceOfOwner: atOnce, waiting: 200, waitingOfOwner: 50 };
  return new FairTurns(most, () => new TooManyVerifications());
}
