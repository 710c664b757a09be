import { createHash } from 'node:crypto';
import { InvalidFeedAddress } from './fetch/fetch-errors.js';

/** Longer addresses are refused; no browser or server gets along with them either. */
const MAX_ADDRESS_LENGTH = 8192;

/**
 * The one spelling of an address by which two subscriptions are known to mean the same feed:
 * lower-case host in punycode without a trailing dot, no default port, no fragment. Path and query
 * stay as they are, since servers tell them apart, and so do user name and password.
 *
 * @throws InvalidFeedAddress for anything but an absolute http or https address
 */
export function normaliseFeedAddress(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') {
    throw new InvalidFeedAddress('The address of the feed is empty.');
  }
  if (trimmed.length > MAX_ADDRESS_LENGTH) {
    throw new InvalidFeedAddress(
      `The address of the feed is longer than ${MAX_ADDRESS_LENGTH} characters.`,
    );
  }
  if (!/^https?:\/\//i.test(trimmed)) {
    throw new InvalidFeedAddress('The address of a feed begins with http:// or https://.');
  }
  const url = URL.parse(trimmed);
  const hostname = url?.hostname.replace(/\.+$/, '');
  if (!url || !hostname) {
    throw new InvalidFeedAddress('The address of the feed cannot be read; check its spelling.');
  }
  url.hostname = hostname;
  url.hash = '';
  return url.href;
}

/** Identity of a feed's address, credentials included: sha256 of the normalised address. */
export function urlKey(url: string): Buffer {
  return createHash('sha256').update(normaliseFeedAddress(url)).digest();
}

/** The server that requests for an address go to, whatever its port: the unit of politeness. */
export function hostKey(url: string): string {
  return new URL(normaliseFeedAddress(url)).hostname;
}
