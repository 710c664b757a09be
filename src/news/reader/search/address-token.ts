import { createHash } from 'node:crypto';
import { canonicalLink } from '../../story/canonical-link.js';

/** What spellings of the address of one page have in common; null for what is no address of a page. */
export function pageKey(address: string): string | null {
  const link = URL.canParse(address) ? canonicalLink(address) : null;
  if (link === null) {
    return null;
  }
  // Pages that are programs tell their pages apart by paths behind the sign.
  return (link.page ?? link.host) + (/^#!?\//.test(link.part) ? link.part : '');
}

/** The token by which the index finds the articles of a page. No query of a user has it. */
export const addressToken = (key: string): string =>
  `@${createHash('sha256').update(key).digest('base64url').slice(0, 12)}`;
