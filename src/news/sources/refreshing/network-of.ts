import { isIP } from 'node:net';

/** A registered name: two labels, or three below endings such as `co.uk` and `com.br`. */
const REGISTERED = /[^.]+\.(?:(?:com?|org|net|edu|gov|ac|or|ne)\.[a-z]{2}|[^.]+)$/;

/**
 * The part of a host's name that one owner has, since anybody can have any number of names below it. The
 * host itself for an address.
 */
export function networkOf(hostKey: string): string {
  return isIP(hostKey.replace(/^\[|\]$/g, '')) === 0
    ? (REGISTERED.exec(hostKey)?.[0] ?? hostKey)
    : hostKey;
}
