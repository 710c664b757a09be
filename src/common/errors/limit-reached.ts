import type { Config } from '../config/config.js';
import type { LimitName } from '../config/limits.js';
import { DomainError } from './domain-error.js';

/** A stored number reached its bound. Waiting does not help; removing something does. */
export class LimitReached extends DomainError {
  readonly kind = 'invalid';

  /** @param what in the plural, for instance "feeds per user" */
  constructor(limit: number, what: string) {
    super(`This installation allows at most ${limit} ${what}. Remove some first.`);
  }
}

/**
 * @param stored how many there are
 * @param added how many more are to be stored
 * @throws LimitReached
 */
export function assertBelowLimit(
  { limits }: Config,
  name: LimitName,
  stored: number,
  added = 1,
): void {
  if (stored + added > limits[name]) {
    throw new LimitReached(limits[name], name.replaceAll('-', ' '));
  }
}
