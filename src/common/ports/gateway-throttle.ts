import { Offer } from './offer.js';

/** Origin of credentials, and their claimed owner. */
export interface Claim {
  readonly clientAddress: string;
  /** An app id or similar name; unknown names are counted like known ones. */
  readonly claimed: string;
}

/**
 * Port to the throttle for secrets of external apps and chat bots; implemented by
 * `sign-in/throttle`. Where the service itself can verify a secret it does so first, and counts
 * wrong ones only, so that failed attempts of others never lock out a right secret.
 */
export abstract class GatewayThrottle {
  /**
   * Counts a wrong secret, and waits as long as earlier failures of this claim demand.
   *
   * @throws TooManyGatewayFailures when the claim or the network has too many recent failures
   */
  abstract countAndDelay(claim: Claim): Promise<void>;

  /**
   * Waits as long as earlier failures of this claim demand; for secrets that only the app can verify.
   *
   * @throws TooManyGatewayFailures when the claim or the network has too many recent failures
   */
  abstract delay(claim: Claim): Promise<void>;

  /**
   * How many more failures this claim may have before it is refused; at least one.
   *
   * @throws TooManyGatewayFailures when none is left
   */
  abstract failuresLeft(claim: Claim): Promise<number>;

  /** Counts a failure. */
  abstract failed(claim: Claim): Promise<void>;

  /** Removes the failures of this claim; other claims from the same network keep theirs. */
  abstract forget(claim: Claim): Promise<void>;
}

export class GatewayThrottleOffer extends Offer<GatewayThrottle> {}
