/** Allowed uses of a kind within a period. */
export interface Allowance {
  /** Example: `refreshed feeds`. */
  readonly kind: string;
  readonly most: number;
  readonly periodSeconds: number;
}

/** The granted part of an allowance. */
export interface Grant {
  /** At most the requested number. */
  readonly granted: number;
  /** Seconds until the next period begins. */
  readonly waitSeconds: number;
}

/**
 * Port to the used allowances of users and apps, counted across all processes; implemented by
 * `sign-in/throttle`. A period begins with the first use, the next one with the first use after its end.
 */
export abstract class Allowances {
  /**
   * Uses as much of an allowance as is left, at most `wanted`.
   *
   * @param owner a user id, or another name with a space in it
   */
  abstract take(owner: string, allowance: Allowance, wanted?: number): Promise<Grant>;
}
