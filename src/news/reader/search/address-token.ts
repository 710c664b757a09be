import { createHash } from 'node:crypto';
import { pageAddress } from '../../query/page-address.js';

/** What spellings of the address of one page have in common; null for what is no address of a page. */
export function pageKey(address: string): string | null {
  const url = /^https?:\/\//i.test(address) && URL.canParse(address) ? pageAddress(address) : null;
  return url === null ? null : url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '');
}

/** The token by which the index finds the articles of a page. No query of a user has it. */
export const addressToken = (key: string): string =>
  `@${createHash('sha256').update(key).digest('base64url').slice(0, 12)}`;
