import type { Config } from '../../../common/config/config.js';

/**
 * How many conversations of others a user may be in, so that nobody makes the list of another larger than what
 * can be shown, and one owner does not use all of it.
 *
 * @param isTrusted whether there may be any number of the same owner
 */
export function roomFor({ limits }: Config, isTrusted: boolean) {
  const most = limits['conversations-of-others-per-user'];
  return { most, mostOfOwner: isTrusted ? most : limits['conversations-of-one-owner-per-user'] };
}
