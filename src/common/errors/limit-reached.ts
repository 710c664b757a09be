import type { Config } from '../config/config.js';
import type { LimitName } from '../config/limits.js';
import { invalid } from './domain-error.js';

/**
 * A limit on stored objects is reached. Retrying does not help; deleting some does.
 *
 * @param what in the plural, for instance "feeds per user"
 */
export class LimitReached extends invalid(
  (limit: number, what: string) =>
    `This installation allows at most ${limit} ${what}. Remove some first.`,
) {}

/**
 * @param stored current number
 * @param added number to be added
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
